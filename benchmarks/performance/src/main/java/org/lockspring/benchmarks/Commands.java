package org.lockspring.benchmarks;

import java.util.List;
import java.util.Map;

/**
 * Counts commands and round trips.
 */
final class Commands implements Workload {

	/** What our locks cost; more is a step back. */
	static final Map<Contestants, CommandCount> OURS = Map.of(Contestants.EFFICIENCY, new CommandCount(2, 5, 1),
			Contestants.EFFICIENCY_ANNOTATION, new CommandCount(2, 5, 1), Contestants.CORRECTNESS,
			new CommandCount(2, 10, 2), Contestants.CORRECTNESS_ANNOTATION, new CommandCount(2, 10, 2));

	@Override
	public String id() {
		return "commands";
	}

	@Override
	public String title() {
		return "Commands and round trips of one pair of acquisition and release";
	}

	@Override
	public void run(Session session) throws Exception {
		for (Contestants kind : session.among(List.of(Contestants.values()))) {
			CommandCount count = CommandCount.of(kind, session.redis());
			CommandCount expected = OURS.getOrDefault(kind, count);
			if (!count.equals(expected)) {
				throw new IllegalStateException("%s: %s instead of %s".formatted(kind, count, expected));
			}
			session.results().add(id(), kind.title(), "requests", "per pair", count.requests());
			session.results().add(id(), kind.title(), "executed", "per pair", count.executed());
			session.results().add(id(), kind.title(), "round trips", "per pair", count.roundTrips());
		}
	}

}
