package org.lockspring.faults.control;

import java.io.UncheckedIOException;
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

	private final ThreadLocal<@Nullable RespConnection> connections = new ThreadLocal<>();

	RecipeLocking(int port) {
		this.port = port;
	}

	/** Give an entry back. */
	abstract void release(String key, String owner);

	@Override
	protected Taken take(String key) throws Exception {
		String owner = UUID.randomUUID().toString();
		long start = System.nanoTime();
		while (true) {
			long sent = System.nanoTime();
			if (call("SET", key, owner, "NX", "PX", String.valueOf(Timing.TTL.toMillis())) != null) {
				Long token = (Long) call("INCR", key + ":fence");
				return new Taken(token, () -> System.nanoTime() - sent < Timing.TTL.toNanos() * 99 / 100,
						() -> release(key, owner));
			}
			if (System.nanoTime() - start > Timing.WAIT.toNanos()) {
				throw new BusyException();
			}
			Thread.sleep(10);
		}
	}

	final @Nullable Object call(String... command) {
		RespConnection connection = this.connections.get();
		if (connection == null) {
			connection = new RespConnection("127.0.0.1", this.port, TIMEOUT);
			this.connections.set(connection);
		}
		try {
			return connection.command(command);
		}
		catch (UncheckedIOException ex) {
			connection.close();
			this.connections.remove();
			throw ex;
		}
	}

}
