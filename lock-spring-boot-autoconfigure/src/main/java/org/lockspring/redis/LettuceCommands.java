package org.lockspring.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

/**
 * Over the one connection that a {@link LettuceConnectionFactory} shares among all
 * callers: what they send afterwards arrives afterwards, so that scripts can also be sent
 * without waiting for their answers. Loaded only if Lettuce is there.
 */
final class LettuceCommands implements LockCommands {

	private static final Log logger = LogFactory.getLog(RedisLockBackend.class);

	/**
	 * Between two connections that are closed because a replica was found behind them.
	 */
	private static final long PAUSE = Duration.ofSeconds(2).toNanos();

	private final LettuceConnectionFactory connectionFactory;

	private final Set<LockScript> known;

	/** Whether the client itself gives up requests that are not answered. */
	private final boolean timed;

	/**
	 * Whether all share the same connection until it is closed. One that goes back to a
	 * pool stays open, and may soon be somebody else's.
	 */
	private final boolean stays;

	private final AtomicLong connectedAt = new AtomicLong(System.nanoTime() - PAUSE);

	/** Forgotten as soon as a request fails. */
	private volatile @Nullable RedisClusterAsyncCommands<byte[], byte[]> shared;

	private LettuceCommands(LettuceConnectionFactory connectionFactory, Set<LockScript> known) {
		this.connectionFactory = connectionFactory;
		this.known = known;
		this.timed = connectionFactory.getClientConfiguration()
			.getClientOptions()
			.map((options) -> options.getTimeoutOptions().isTimeoutCommands())
			.orElse(false);
		this.stays = !connectionFactory.getValidateConnection()
				&& !(connectionFactory.getClientConfiguration() instanceof LettucePoolingClientConfiguration);
	}

	/**
	 * A connection of a caller's own would be closed before the answer is there.
	 */
	static @Nullable LettuceCommands ifShared(RedisConnectionFactory connectionFactory, Set<LockScript> known) {
		return (connectionFactory instanceof LettuceConnectionFactory lettuce && lettuce.getShareNativeConnection())
				? new LettuceCommands(lettuce, known) : null;
	}

	/**
	 * Take notice of a failed request. If it shows a replica, the connection that all
	 * share is closed: its address may lead to another server by now, to which nothing
	 * else would connect.
	 */
	void failed(Throwable failure) {
		if (hasToReconnect(failure)) {
			this.connectionFactory.resetConnection();
		}
	}

	/**
	 * Do the same without waiting, on a thread of the client.
	 */
	void failedUnawaited(Throwable failure) {
		if (hasToReconnect(failure)) {
			var unused = CompletableFuture.runAsync(this.connectionFactory::resetConnection);
		}
	}

	private boolean hasToReconnect(Throwable failure) {
		this.shared = null;
		long last = this.connectedAt.get();
		long now = System.nanoTime();
		if (now - last < PAUSE || !RedisFailure.isReadOnly(failure) || !this.connectedAt.compareAndSet(last, now)) {
			return false;
		}
		logger.warn("Redis is a replica that takes no writes: the shared connection is opened anew, "
				+ "in case its address has moved to another server");
		return true;
	}

	@Override
	public boolean setIfAbsent(byte[] key, byte[] value, long ttlMillis) {
		return "OK".equals(await(commands().set(key, value, SetArgs.Builder.nx().px(ttlMillis))));
	}

	@Override
	public Object evalSha(LockScript script, int keys, byte[][] keysAndArgs) {
		return await(sendSha(commands(), script, keys, keysAndArgs));
	}

	@Override
	public Object eval(LockScript script, int keys, byte[][] keysAndArgs) {
		return await(sendText(commands(), script, keys, keysAndArgs));
	}

	private <T extends @Nullable Object> T await(RedisFuture<T> answer) {
		return LettuceFutures.awaitOrCancel(answer, timeout().toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Send a script without waiting for its answer.
	 */
	CompletableFuture<Object> send(LockScript script, int keys, byte[][] keysAndArgs) {
		RedisClusterAsyncCommands<byte[], byte[]> commands = commands();
		CompletableFuture<Object> answer = this.known.contains(script)
				? sendSha(commands, script, keys, keysAndArgs).toCompletableFuture()
					.exceptionallyCompose((ex) -> RedisFailure.isUnknownScript(ex)
							? learn(commands, script, keys, keysAndArgs) : reject(ex))
				: learn(commands, script, keys, keysAndArgs);
		// Each timer costs, and may wake a thread
		return this.timed ? answer : answer.orTimeout(timeout().toMillis(), TimeUnit.MILLISECONDS);
	}

	private CompletableFuture<Object> learn(RedisClusterAsyncCommands<byte[], byte[]> commands, LockScript script,
			int keys, byte[][] keysAndArgs) {
		return sendText(commands, script, keys, keysAndArgs).toCompletableFuture().thenApply((answer) -> {
			this.known.add(script);
			return answer;
		});
	}

	private CompletableFuture<Object> reject(Throwable failure) {
		failedUnawaited(failure);
		return CompletableFuture.failedFuture(failure);
	}

	private static RedisFuture<Object> sendSha(RedisClusterAsyncCommands<byte[], byte[]> commands, LockScript script,
			int keys, byte[][] keysAndArgs) {
		return commands.evalsha(script.sha(), type(script), Arrays.copyOf(keysAndArgs, keys),
				Arrays.copyOfRange(keysAndArgs, keys, keysAndArgs.length));
	}

	private static RedisFuture<Object> sendText(RedisClusterAsyncCommands<byte[], byte[]> commands, LockScript script,
			int keys, byte[][] keysAndArgs) {
		return commands.eval(script.text(), type(script), Arrays.copyOf(keysAndArgs, keys),
				Arrays.copyOfRange(keysAndArgs, keys, keysAndArgs.length));
	}

	private static ScriptOutputType type(LockScript script) {
		return script.answersList() ? ScriptOutputType.MULTI : ScriptOutputType.INTEGER;
	}

	/**
	 * Ask the factory only when it is needed: a connection of Spring Data for each
	 * request costs the client about as much as the request. One that was closed is not
	 * open, nor is one that Lettuce opens again by itself.
	 */
	private RedisClusterAsyncCommands<byte[], byte[]> commands() {
		RedisClusterAsyncCommands<byte[], byte[]> last = this.shared;
		if (last != null && isOpen(last)) {
			return last;
		}
		RedisClusterAsyncCommands<byte[], byte[]> current = ask();
		this.shared = this.stays ? current : null;
		return current;
	}

	private static boolean isOpen(RedisClusterAsyncCommands<byte[], byte[]> commands) {
		return commands instanceof AbstractRedisAsyncCommands<byte[], byte[]> known && known.getConnection().isOpen();
	}

	@SuppressWarnings("unchecked")
	private RedisClusterAsyncCommands<byte[], byte[]> ask() {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
		}
	}

	private Duration timeout() {
		return this.connectionFactory.getClientConfiguration().getCommandTimeout();
	}

}
