package org.lockspring.benchmarks;

import java.time.Duration;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections as Boot sets them up.
 */
final class RedisClients {

	private RedisClients() {
	}

	static LettuceConnectionFactory lettuce(int port) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.builder().shutdownTimeout(Duration.ZERO).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
