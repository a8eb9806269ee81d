package org.lockspring.benchmarks;

import java.time.Duration;

import org.lockspring.testing.RespConnection;

/**
 * Asks Redis whether a lock is there while it is held, and gone afterwards: who quietly
 * does not lock looks fast.
 */
final class Check {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private Check() {
	}

	static void locks(Contestant contestant, int port) {
		// Of this process alone: others check at the same time
		String key = "check:" + ProcessHandle.current().pid();
		String entry = contestant.entry(key);
		try (RespConnection redis = new RespConnection("127.0.0.1", port, TIMEOUT)) {
			contestant.locked(key, () -> Contestant.require(exists(redis, entry), "Not locked while held: " + entry));
			long start = System.nanoTime();
			while (exists(redis, entry)) {
				Contestant.require(System.nanoTime() - start < TIMEOUT.toNanos(), "Locked after its release: " + entry);
			}
		}
	}

	private static boolean exists(RespConnection redis, String entry) {
		return Long.valueOf(1).equals(redis.command("EXISTS", entry));
	}

}
