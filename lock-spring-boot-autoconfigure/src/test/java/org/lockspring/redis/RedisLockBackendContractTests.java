package org.lockspring.redis;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.lockspring.LockBackend;
import org.lockspring.LockBackendContract;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@UsesServer("redis")
class RedisLockBackendContractTests extends LockBackendContract {

	private static LettuceConnectionFactory connections;

	private static RedisLockBackend backend;

	@BeforeAll
	static void connect() {
		connections = Connections.lettuce(RedisServer.shared());
		backend = new RedisLockBackend(connections, Duration.ofDays(7), "redis");
	}

	@AfterAll
	static void close() {
		backend.close();
		connections.destroy();
	}

	@Override
	protected LockBackend backend() {
		return backend;
	}

}
