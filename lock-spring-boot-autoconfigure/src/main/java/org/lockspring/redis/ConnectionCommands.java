package org.lockspring.redis;

import java.util.Objects;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.SetCondition;
import org.springframework.data.redis.core.types.Expiration;

/**
 * Over a connection of Spring Data that is taken for each command, whatever the client.
 */
final class ConnectionCommands implements LockCommands {

	private final RedisConnectionFactory connectionFactory;

	ConnectionCommands(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	@Override
	public boolean setIfAbsent(byte[] key, byte[] value, long ttlMillis) {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return Boolean.TRUE.equals(connection.stringCommands()
				.set(key, value, SetCondition.ifAbsent(), Expiration.milliseconds(ttlMillis)));
		}
	}

	@Override
	public Object evalSha(LockScript script, int keys, byte[][] keysAndArgs) {
		return run(
				(connection) -> connection.scriptingCommands().evalSha(script.sha(), type(script), keys, keysAndArgs));
	}

	@Override
	public Object eval(LockScript script, int keys, byte[][] keysAndArgs) {
		return run((connection) -> connection.scriptingCommands().eval(script.text(), type(script), keys, keysAndArgs));
	}

	private Object run(Function<RedisConnection, @Nullable Object> command) {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return Objects.requireNonNull(command.apply(connection),
					"Redis answered nothing: is the connection queueing?");
		}
	}

	private static ReturnType type(LockScript script) {
		return script.answersList() ? ReturnType.MULTI : ReturnType.INTEGER;
	}

}
