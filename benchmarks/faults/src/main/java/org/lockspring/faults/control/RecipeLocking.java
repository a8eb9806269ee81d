package org.lockspring.faults.control;

import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.lockspring.faults.workload.BusyException;
import org.lockspring.faults.workload.OneByOneLocking;
import org.lockspring.faults.workload.Timing;
import org.lockspring.testing.RespConnection;

/**
 * The recipe that many follow: {@code SET NX PX}, with a token from {@code INCR}.
 */
abstract class RecipeLocking extends OneByOneLocking {

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	private final int port;

	RecipeLocking(int port) {
		this.port = port;
	}

	/** Give an entry back. */
	abstract void release(RespConnection redis, String key, String owner);

	@Override
	protected Taken take(String key) throws Exception {
		String owner = UUID.randomUUID().toString();
		long start = System.nanoTime();
		while (System.nanoTime() - start < Timing.WAIT.toNanos()) {
			long sent = System.nanoTime();
			Long token = tryOnce(key, owner);
			if (token != null) {
				return new Taken(token, () -> System.nanoTime() - sent < Timing.TTL.toNanos() * 99 / 100, () -> {
					try (RespConnection redis = connect()) {
						release(redis, key, owner);
					}
				});
			}
			Thread.sleep(10);
		}
		throw new BusyException();
	}

	private @Nullable Long tryOnce(String key, String owner) {
		try (RespConnection redis = connect()) {
			String ttl = String.valueOf(Timing.TTL.toMillis());
			return (redis.command("SET", key, owner, "NX", "PX", ttl) != null)
					? (Long) redis.command("INCR", key + ":fence") : null;
		}
	}

	private RespConnection connect() {
		return new RespConnection("127.0.0.1", this.port, TIMEOUT);
	}

}
