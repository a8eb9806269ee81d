package org.lockspring.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Sends scripts without waiting for their answers, over the one connection that a
 * {@link LettuceConnectionFactory} shares among all callers: what they send afterwards
 * arrives afterwards. Loaded only if Lettuce is there.
 */
final class LettuceCalls {

	private static final Log logger = LogFactory.getLog(RedisLockBackend.class);

	/**
	 * Between two connections that are closed because a replica was found behind them.
	 */
	private static final long PAUSE = Duration.ofSeconds(2).toNanos();

	private final LettuceConnectionFactory connectionFactory;

	private final Set<LockScript> known;

	/** Whether the client itself gives up requests that are not answered. */
	private final boolean timed;

	private final AtomicLong connectedAt = new AtomicLong(System.nanoTime() - PAUSE);

	private LettuceCalls(LettuceConnectionFactory connectionFactory, Set<LockScript> known) {
		this.connectionFactory = connectionFactory;
		this.known = known;
		this.timed = connectionFactory.getClientConfiguration()
			.getClientOptions()
			.map((options) -> options.getTimeoutOptions().isTimeoutCommands())
			.orElse(false);
	}

	/**
	 * A connection of a caller's own would be closed before the answer is there.
	 */
	static @Nullable LettuceCalls ifShared(RedisConnectionFactory connectionFactory, Set<LockScript> known) {
		return (connectionFactory instanceof LettuceConnectionFactory lettuce && lettuce.getShareNativeConnection())
				? new LettuceCalls(lettuce, known) : null;
	}

	/**
	 * Close the connection that all share, if a failed request shows a replica behind it:
	 * its address may lead to another server by now, to which nothing else would connect.
	 */
	void checkWritable(Throwable failure) {
		long last = this.connectedAt.get();
		long now = System.nanoTime();
		if (RedisFailure.isReadOnly(failure) && now - last >= PAUSE && this.connectedAt.compareAndSet(last, now)) {
			logger.warn("Redis is a replica that takes no writes: the shared connection is opened anew, "
					+ "in case its address has moved to another server");
			this.connectionFactory.resetConnection();
		}
	}

	CompletableFuture<Object> send(LockScript script, byte[][] keys, byte[][] args) {
		RedisClusterAsyncCommands<byte[], byte[]> commands = commands();
		ScriptOutputType type = script.answersList() ? ScriptOutputType.MULTI : ScriptOutputType.INTEGER;
		CompletableFuture<Object> answer = this.known.contains(script)
				? commands.<Object>evalsha(script.sha(), type, keys, args)
					.toCompletableFuture()
					.exceptionallyCompose((ex) -> RedisFailure.isUnknownScript(ex)
							? evaluate(commands, script, type, keys, args) : CompletableFuture.failedFuture(ex))
				: evaluate(commands, script, type, keys, args);
		// Each timer costs, and may wake a thread
		return this.timed ? answer : answer.orTimeout(timeout().toMillis(), TimeUnit.MILLISECONDS);
	}

	private CompletableFuture<Object> evaluate(RedisClusterAsyncCommands<byte[], byte[]> commands, LockScript script,
			ScriptOutputType type, byte[][] keys, byte[][] args) {
		return commands.<Object>eval(script.text(), type, keys, args).toCompletableFuture().thenApply((answer) -> {
			this.known.add(script);
			return answer;
		});
	}

	@SuppressWarnings("unchecked")
	private RedisClusterAsyncCommands<byte[], byte[]> commands() {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
		}
	}

	private Duration timeout() {
		return this.connectionFactory.getClientConfiguration().getCommandTimeout();
	}

}
