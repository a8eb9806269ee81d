package org.lockspring.benchmarks;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * How long after the end of a dead holder's entry a waiter goes on.
 */
final class CrashedHolder implements Workload {

	static final String LATE = "after the ttl";

	private static final Duration TTL = Duration.ofSeconds(2);

	@Override
	public String id() {
		return "crash";
	}

	@Override
	public String title() {
		return "A waiter behind a holder that was killed, ttl 2 s";
	}

	@Override
	public void run(Session session) throws Exception {
		for (int round = 0; round < (session.smoke() ? 1 : 3); round++) {
			for (Contestants kind : session.among(Contestants.waiting())) {
				if (kind == Contestants.REGISTRY_PUB_SUB && round > 0) {
					// It waits for all of its time, a minute
					continue;
				}
				session.redis().flush();
				try (Contestant waiter = kind.start(session.redis().port(), TTL)) {
					Check.locks(waiter, session.redis().port());
					session.results().add(id(), kind.title(), LATE, "ms", measure(session, kind, waiter));
				}
			}
		}
	}

	private double measure(Session session, Contestants kind, Contestant waiter) throws Exception {
		String entry = waiter.entry(HolderProgram.KEY);
		try (Jvm holder = Jvm.start(HolderProgram.class, kind, session.redis().port(), TTL.toMillis())) {
			holder.await();
			CompletableFuture<Long> entered = new CompletableFuture<>();
			Thread waiting = new Thread(
					() -> waiter.locked(HolderProgram.KEY, () -> entered.complete(System.nanoTime())));
			waiting.start();
			// The waiter has to have asked
			Thread.sleep(300);
			holder.kill();
			long left = (Long) session.redis().command("PTTL", entry);
			long ends = System.nanoTime() + left * 1_000_000;
			double late = (entered.join() - ends) / 1e6;
			waiting.join();
			return late;
		}
	}

}
