package org.lockspring.redis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** The client library below Spring Data Redis. */
enum RedisDriver {

	LETTUCE {

		@Override
		RedisConnectionFactory factory(RedisStandaloneConfiguration configuration, Duration timeout) {
			return Connections.lettuce(configuration, timeout);
		}

	},

	JEDIS {

		@Override
		RedisConnectionFactory factory(RedisStandaloneConfiguration configuration, Duration timeout) {
			return Connections.jedis(configuration, timeout);
		}

	};

	abstract RedisConnectionFactory factory(RedisStandaloneConfiguration configuration, Duration timeout);

	/**
	 * One process with connections of its own.
	 * @param port the server's port, or a proxy's
	 */
	Process process(int port) {
		return process(port, null, Duration.ofSeconds(10));
	}

	/**
	 * @param user whose password is {@code secret}
	 */
	Process process(int port, @Nullable String user, Duration linger) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", port);
		if (user != null) {
			configuration.setUsername(user);
			configuration.setPassword(RedisPassword.of("secret"));
		}
		RedisConnectionFactory factory = factory(configuration, Duration.ofSeconds(5));
		return new Process(factory, new RedisLockBackend(factory, Duration.ofDays(7), "127.0.0.1:" + port, linger));
	}

	record Process(RedisConnectionFactory connections, RedisLockBackend backend) implements AutoCloseable {

		@Override
		public void close() {
			this.backend.close();
			try {
				((DisposableBean) this.connections).destroy();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
