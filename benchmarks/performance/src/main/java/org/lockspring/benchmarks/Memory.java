package org.lockspring.benchmarks;

import org.lockspring.LockMode;

/**
 * What a held lease takes, and a key that nobody holds.
 */
final class Memory implements Workload {

	private static final int LEASES = 10_000;

	@Override
	public String id() {
		return "memory";
	}

	@Override
	public String title() {
		return "Memory";
	}

	@Override
	public void run(Session session) {
		for (LockMode mode : LockMode.values()) {
			session.redis().flush();
			try (Jvm program = Jvm.start(MemoryProgram.class, session.redis().port(), LEASES, mode)) {
				double[] heap = new double[3];
				double[] redis = new double[3];
				for (int i = 0; i < heap.length; i++) {
					heap[i] = program.awaitNumbers()[0];
					redis[i] = Double.parseDouble(session.redis().info("used_memory"));
					program.go();
				}
				add(session, mode, "held lease", heap[1] - heap[0], redis[1] - redis[0]);
				add(session, mode, "idle key", heap[2] - heap[0], redis[2] - redis[0]);
			}
		}
	}

	private void add(Session session, LockMode mode, String what, double heap, double redis) {
		session.results().add(id(), mode + ", " + what, "heap", "bytes", heap / LEASES);
		session.results().add(id(), mode + ", " + what, "Redis", "bytes", redis / LEASES);
	}

}
