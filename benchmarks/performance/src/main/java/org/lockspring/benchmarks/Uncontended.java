package org.lockspring.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Each thread has locks of its own.
 */
final class Uncontended implements Workload {

	static final String PAIRS = "pairs";

	/** In ms. After 5 s the compiler is still busy with what a thousand threads call. */
	private static final int WARMUP = 12_000;

	private final String id;

	private final int threads;

	private final boolean virtual;

	Uncontended(String id, int threads, boolean virtual) {
		this.id = id;
		this.threads = threads;
		this.virtual = virtual;
	}

	static List<Workload> all() {
		return List.of(new Uncontended("uncontended-1", 1, false), new Uncontended("uncontended-16", 16, false),
				new Uncontended("uncontended-1000", 1000, true));
	}

	@Override
	public String id() {
		return this.id;
	}

	@Override
	public String title() {
		return "Own keys, %,d %s".formatted(this.threads,
				this.virtual ? "virtual threads" : (this.threads > 1) ? "threads" : "thread");
	}

	@Override
	public String charted() {
		return PAIRS;
	}

	@Override
	public void run(Session session) {
		if (this.virtual && Runtime.version().feature() < 21) {
			session.results().skip(this.id, "virtual threads need a newer JDK");
			return;
		}
		Forks forks = new Forks(session.smoke());
		for (int round = 0; round < forks.rounds(); round++) {
			for (Contestants contestant : session.among(contestants())) {
				session.redis().flush();
				List<Double> pairs = this.virtual ? virtual(session, contestant)
						: forks.pairs(session.redis(), contestant, this.threads);
				session.results().add(this.id, contestant.title(), PAIRS, "1/s", pairs);
			}
		}
	}

	private List<Contestants> contestants() {
		List<Contestants> all = new ArrayList<>(List.of(Contestants.values()));
		if (this.virtual) {
			// Its requests block threads of the common pool, which refuses that many
			all.remove(Contestants.LOCK4J);
		}
		return all;
	}

	private List<Double> virtual(Session session, Contestants contestant) {
		boolean smoke = session.smoke();
		try (Jvm program = Jvm.start(VirtualThreadsProgram.class, contestant, session.redis().port(), this.threads,
				smoke ? 200 : WARMUP, smoke ? 200 : 1000, smoke ? 1 : 3)) {
			double[] pairs = program.awaitNumbers();
			program.go();
			return Arrays.stream(pairs).boxed().toList();
		}
	}

}
