package org.lockspring.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import org.jspecify.annotations.Nullable;

/**
 * One of the independent servers, over one connection of our own. A request is sent at
 * most once: a connection that ends takes its requests with it, and the next request
 * opens another.
 */
final class RedlockNode {

	/** Between two tries to connect. */
	private static final long PAUSE = Duration.ofMillis(500).toNanos();

	/** A connection on which requests wait and nothing is answered is given up. */
	private static final Duration LONGEST_SILENCE = Duration.ofSeconds(1);

	private final RedisClient client;

	private final RedisURI uri;

	private final Duration timeout;

	/**
	 * Says whether a server may take part, and tells its run id.
	 */
	private final Function<Connection, CompletableFuture<String>> admission;

	private @Nullable CompletableFuture<Connection> connection;

	private long connectedAt;

	private boolean closed;

	/** Told when the server begins or ceases to take part. */
	private final Runnable change;

	private volatile boolean failing;

	RedlockNode(RedisClient client, RedisURI uri, Duration timeout,
			Function<Connection, CompletableFuture<String>> admission, Runnable change) {
		this.client = client;
		this.uri = uri;
		this.timeout = timeout;
		this.admission = admission;
		this.change = change;
	}

	String address() {
		return RedlockSettings.address(this.uri);
	}

	/**
	 * Send a script.
	 * @return the answer, which may never come
	 */
	CompletableFuture<Long> run(Script script, String[] keys, String... args) {
		return run((open) -> open.run(script, ScriptOutputType.INTEGER, keys, args));
	}

	/**
	 * Send a script that is told with which run of the server the connection is.
	 */
	CompletableFuture<Long> runInEpoch(Script script, String[] keys, String... args) {
		String[] withRun = Arrays.copyOf(args, args.length + 1);
		return run((open) -> {
			withRun[args.length] = open.runId;
			return open.run(script, ScriptOutputType.INTEGER, keys, withRun);
		});
	}

	private CompletableFuture<Long> run(Function<Connection, CompletableFuture<Long>> request) {
		return connection().thenCompose(request).whenComplete((result, ex) -> note(ex != null));
	}

	/**
	 * Somebody has waited long enough for an answer.
	 */
	void noteTimeout() {
		note(true);
		CompletableFuture<Connection> current;
		synchronized (this) {
			current = this.connection;
		}
		if (current != null) {
			var unused = current.thenAccept(Connection::noteSilence);
		}
	}

	private void note(boolean failed) {
		if (this.failing != failed) {
			this.failing = failed;
			this.change.run();
		}
	}

	/**
	 * Whether the last request failed.
	 */
	boolean isFailing() {
		return this.failing;
	}

	/**
	 * Return the connection that is open, or is being opened.
	 */
	synchronized CompletableFuture<Connection> connection() {
		CompletableFuture<Connection> current = this.connection;
		boolean failed = current != null && current.isCompletedExceptionally();
		if (current != null && !failed && (!current.isDone() || current.join().isOpen())) {
			return current;
		}
		if (this.closed || (failed && System.nanoTime() - this.connectedAt < PAUSE)) {
			return (current != null) ? current : CompletableFuture.failedFuture(new IllegalStateException("closed"));
		}
		this.connectedAt = System.nanoTime();
		CompletableFuture<Connection> opened = connect();
		this.connection = opened;
		return opened;
	}

	private CompletableFuture<Connection> connect() {
		return this.client.connectAsync(StringCodec.UTF8, this.uri).toCompletableFuture().thenCompose((open) -> {
			Connection candidate = new Connection(open);
			return this.admission.apply(candidate)
				.orTimeout(this.timeout.toMillis(), TimeUnit.MILLISECONDS)
				.thenApply(candidate::admitted)
				.whenComplete((result, ex) -> {
					if (ex != null) {
						candidate.close();
					}
				});
		});
	}

	synchronized void close() {
		this.closed = true;
		if (this.connection != null) {
			var unused = this.connection.thenAccept(Connection::close);
		}
	}

	/**
	 * A connection to this server.
	 */
	final class Connection {

		private final StatefulRedisConnection<String, String> open;

		private final AtomicInteger unanswered = new AtomicInteger();

		private volatile long silentSince;

		private volatile String runId = "";

		Connection(StatefulRedisConnection<String, String> open) {
			this.open = open;
		}

		private Connection admitted(String runId) {
			this.runId = runId;
			return this;
		}

		RedlockNode node() {
			return RedlockNode.this;
		}

		boolean isOpen() {
			return this.open.isOpen();
		}

		<T> CompletableFuture<T> run(Script script, ScriptOutputType type, String[] keys, String... args) {
			if (this.unanswered.getAndIncrement() == 0) {
				this.silentSince = System.nanoTime();
			}
			return this.open.async()
				.<T>evalsha(script.sha(), type, keys, args)
				.toCompletableFuture()
				.exceptionallyCompose((ex) -> RedisFailure.isUnknownScript(ex)
						? this.open.async().<T>eval(script.text(), type, keys, args).toCompletableFuture()
						: CompletableFuture.failedFuture(ex))
				.whenComplete((result, ex) -> answered());
		}

		private void answered() {
			this.silentSince = System.nanoTime();
			this.unanswered.decrementAndGet();
		}

		private void noteSilence() {
			if (this.unanswered.get() > 0 && System.nanoTime() - this.silentSince > LONGEST_SILENCE.toNanos()) {
				close();
			}
		}

		void close() {
			if (this.open.isOpen()) {
				var unused = this.open.closeAsync();
			}
		}

	}

}
