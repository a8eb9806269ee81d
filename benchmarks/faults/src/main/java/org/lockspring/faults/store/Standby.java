package org.lockspring.faults.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.SteppedClock;

/**
 * A replica of a Redis, behind a proxy that can keep the newest writes from it.
 */
final class Standby implements AutoCloseable {

	private static final Duration SYNC = Duration.ofSeconds(20);

	private final FaultProxy link;

	private final RedisServer server;

	/** Returns when it is in sync. Both have one clock, or tokens would not rise. */
	Standby(RedisServer master, @Nullable SteppedClock clock) {
		this.link = FaultProxy.to(master);
		this.server = RedisStore.start(clock);
		this.server.command("REPLICAOF", this.link.host(), String.valueOf(this.link.port()));
		long start = System.nanoTime();
		while (!this.server.info("master_link_status").equals("up")) {
			if (System.nanoTime() - start > SYNC.toNanos()) {
				throw new IllegalStateException("The replica does not get in sync");
			}
			Thread.onSpinWait();
		}
	}

	void lag() {
		this.link.blackhole();
	}

	RedisServer promote() {
		this.server.command("REPLICAOF", "NO", "ONE");
		this.link.close();
		return this.server;
	}

	@Override
	public void close() {
		this.link.close();
		this.server.close();
	}

}
