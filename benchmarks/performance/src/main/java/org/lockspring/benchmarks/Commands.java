package org.lockspring.benchmarks;

/**
 * Counts commands and round trips.
 */
final class Commands implements Workload {

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
		for (Contestants kind : Contestants.values()) {
			CommandCount count = CommandCount.of(kind, session.redis());
			session.results().add(id(), kind.title(), "requests", "per pair", count.requests());
			session.results().add(id(), kind.title(), "executed", "per pair", count.executed());
			session.results().add(id(), kind.title(), "round trips", "per pair", count.roundTrips());
		}
	}

}
