package org.lockspring.benchmarks;

import java.util.List;

/**
 * What a pair of acquisition and release costs in time of processors: with many threads,
 * that is what limits their number. Hardly depends on who else uses the machine.
 */
final class Processor implements Workload {

	private static final int THREADS = 16;

	private static final int WINDOWS = 3;

	@Override
	public String id() {
		return "processor";
	}

	@Override
	public String title() {
		return "Time of processors of one pair, own keys, 16 threads";
	}

	@Override
	public void run(Session session) {
		int pairs = session.smoke() ? 500 : 12_000;
		for (Contestants contestant : session.among(List.of(Contestants.values()))) {
			session.redis().flush();
			measure(session, contestant, pairs);
		}
	}

	private void measure(Session session, Contestants contestant, int pairs) {
		try (Jvm program = Jvm.start(ProcessorProgram.class, contestant, session.redis().port(), THREADS, pairs,
				WINDOWS)) {
			double[] micros = program.awaitNumbers();
			for (int i = 0; i < micros.length; i += 2) {
				session.results().add(id(), contestant.title(), "client", "us", micros[i]);
				session.results().add(id(), contestant.title(), "Redis", "us", micros[i + 1]);
				session.results().add(id(), contestant.title(), "together", "us", micros[i] + micros[i + 1]);
			}
			program.go();
		}
	}

}
