package org.lockspring.redis;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.SetCondition;
import org.springframework.data.redis.core.types.Expiration;

/**
 * Sends commands over the application's own connections, one round trip each. Never over
 * a connection that is bound to a transaction.
 */
final class RedisCalls {

	private final RedisConnectionFactory connectionFactory;

	RedisCalls(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	/**
	 * {@code SET key value NX PX ttl}.
	 */
	boolean setIfAbsent(String key, String value, long ttlMillis) {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return Boolean.TRUE.equals(connection.stringCommands()
				.set(bytes(key), bytes(value), SetCondition.ifAbsent(), Expiration.milliseconds(ttlMillis)));
		}
	}

	/**
	 * {@code EVALSHA}, and {@code EVAL} if the server does not know the script.
	 */
	long run(LockScript script, int keys, String... keysAndArgs) {
		byte[][] bytes = new byte[keysAndArgs.length][];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = bytes(keysAndArgs[i]);
		}
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return answer(evaluate(connection, script, keys, bytes));
		}
	}

	private static @Nullable Long evaluate(RedisConnection connection, LockScript script, int keys, byte[][] bytes) {
		try {
			return connection.scriptingCommands().evalSha(script.sha(), ReturnType.INTEGER, keys, bytes);
		}
		catch (RuntimeException ex) {
			if (!RedisFailure.isUnknownScript(ex)) {
				throw ex;
			}
			return connection.scriptingCommands().eval(script.text(), ReturnType.INTEGER, keys, bytes);
		}
	}

	private static long answer(@Nullable Long answer) {
		return Objects.requireNonNull(answer, "Redis answered nothing: is the connection queueing?");
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
