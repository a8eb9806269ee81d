package org.lockspring.benchmarks;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * Holds a lock until it is killed.
 */
final class HolderProgram {

	static final String KEY = "crash";

	private HolderProgram() {
	}

	/**
	 * Run.
	 * @param args contestant, port, ttl in ms
	 */
	public static void main(String[] args) {
		Contestant contestant = Contestants.valueOf(args[0])
			.start(Integer.parseInt(args[1]), Duration.ofMillis(Long.parseLong(args[2])));
		contestant.locked(KEY, () -> {
			Jvm.tell("held");
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

}
