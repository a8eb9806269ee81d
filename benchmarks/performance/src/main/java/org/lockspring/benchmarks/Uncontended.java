package org.lockspring.benchmarks;

import java.util.List;

import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;

/**
 * Each thread has locks of its own.
 */
final class Uncontended implements Workload {

	static final String PAIRS = "pairs";

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
	public void run(Session session) {
		if (this.virtual && Runtime.version().feature() < 21) {
			session.results().skip(this.id, "virtual threads need a newer JDK");
			return;
		}
		Forks forks = new Forks(session.smoke());
		for (int round = 0; round < forks.rounds(); round++) {
			for (Contestants contestant : Contestants.values()) {
				session.redis().flush();
				List<Double> pairs = Forks
					.scores(forks.run("PairBenchmark.pair", (options) -> settings(options, session, contestant)));
				session.results().add(this.id, contestant.title(), PAIRS, "1/s", pairs);
			}
		}
	}

	private ChainedOptionsBuilder settings(ChainedOptionsBuilder options, Session session, Contestants contestant) {
		String port = "-D" + Forks.REDIS + "=" + session.redis().port();
		return options.param("contestant", contestant.name())
			.threads(this.threads)
			.jvmArgsAppend("-Xms512m", "-Xmx512m", port, "-Djmh.executor=" + (this.virtual ? "VIRTUAL" : "PLATFORM"));
	}

}
