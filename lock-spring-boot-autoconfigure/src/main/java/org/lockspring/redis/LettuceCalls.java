package org.lockspring.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
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

	private final LettuceConnectionFactory connectionFactory;

	private LettuceCalls(LettuceConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	/**
	 * A connection of a caller's own would be closed before the answer is there.
	 */
	static @Nullable LettuceCalls ifShared(RedisConnectionFactory connectionFactory) {
		return (connectionFactory instanceof LettuceConnectionFactory lettuce && lettuce.getShareNativeConnection())
				? new LettuceCalls(lettuce) : null;
	}

	CompletableFuture<Object> send(LockScript script, byte[][] keys, byte[][] args) {
		RedisClusterAsyncCommands<byte[], byte[]> commands = commands();
		ScriptOutputType type = (script == LockScript.RENEW_ALL) ? ScriptOutputType.MULTI : ScriptOutputType.INTEGER;
		return commands.<Object>evalsha(script.sha(), type, keys, args)
			.toCompletableFuture()
			.exceptionallyCompose((ex) -> RedisFailure.isUnknownScript(ex)
					? commands.<Object>eval(script.text(), type, keys, args).toCompletableFuture()
					: CompletableFuture.failedFuture(ex))
			.orTimeout(timeout().toMillis(), TimeUnit.MILLISECONDS);
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
