package org.lockspring.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * All threads want one lock.
 */
final class HotKey implements Workload {

	static final String PAIRS = "pairs";

	static final String P99 = "wait, p99";

	/**
	 * Where whoever is there goes first, most waits are short, and those of the others
	 * are not.
	 */
	static final String LONGEST = "longest wait";

	static final String SHARE = "smallest share of a JVM";

	/** In ms. The compilers of four JVMs want both processors for as long as that. */
	private static final int WARMUP = 15_000;

	private final String id;

	private final int jvms;

	private final int threads;

	HotKey(String id, int jvms, int threads) {
		this.id = id;
		this.jvms = jvms;
		this.threads = threads;
	}

	static List<Workload> all() {
		return List.of(new HotKey("hot-1x16", 1, 16), new HotKey("hot-4x4", 4, 4));
	}

	@Override
	public String id() {
		return this.id;
	}

	@Override
	public String title() {
		return "One hot key, %d x %d threads".formatted(this.jvms, this.threads);
	}

	@Override
	public String charted() {
		return PAIRS;
	}

	@Override
	public void run(Session session) throws Exception {
		for (int round = 0; round < (session.smoke() ? 1 : 2); round++) {
			for (Contestants contestant : session.among(Contestants.waiting())) {
				session.redis().flush();
				compete(session, contestant);
			}
		}
	}

	private void compete(Session session, Contestants contestant) throws Exception {
		double seconds = session.smoke() ? 0.5 : 4;
		Path file = Files.createTempFile("hot-key", "");
		List<Jvm> running = new ArrayList<>();
		try {
			for (int i = 0; i < this.jvms; i++) {
				running.add(Jvm.start(HotKeyProgram.class, contestant, session.redis().port(), this.threads, file,
						session.smoke() ? 200 : WARMUP, (long) (seconds * 1000)));
			}
			running.forEach(Jvm::await);
			running.forEach(Jvm::go);
			List<double[]> told = running.stream().map(Jvm::awaitNumbers).toList();
			running.forEach(Jvm::go);
			report(session, contestant, told, seconds);
		}
		finally {
			running.forEach(Jvm::close);
			Files.delete(file);
		}
	}

	private void report(Session session, Contestants contestant, List<double[]> told, double seconds) {
		double pairs = told.stream().mapToDouble((numbers) -> numbers[0]).sum();
		double least = told.stream().mapToDouble((numbers) -> numbers[0]).min().orElseThrow();
		session.results().add(this.id, contestant.title(), PAIRS, "1/s", pairs / seconds);
		if (this.jvms > 1) {
			session.results().add(this.id, contestant.title(), SHARE, "%", 100 * least / pairs);
		}
		else {
			session.results().add(this.id, contestant.title(), P99, "ms", told.get(0)[2]);
			session.results().add(this.id, contestant.title(), LONGEST, "ms", told.get(0)[3]);
		}
	}

}
