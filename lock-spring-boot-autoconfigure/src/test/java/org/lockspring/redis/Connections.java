package org.lockspring.redis;

import java.time.Duration;

import org.lockspring.testing.RedisServer;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connection factories as an application would have them. */
final class Connections {

	private Connections() {
	}

	static LettuceConnectionFactory lettuce(RedisServer server) {
		return lettuce(server.port(), Duration.ofSeconds(5));
	}

	static LettuceConnectionFactory lettuce(int port, Duration timeout) {
		return lettuce(new RedisStandaloneConfiguration("127.0.0.1", port), timeout);
	}

	static LettuceConnectionFactory lettuce(RedisServer server, String user, String password) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", server.port());
		configuration.setUsername(user);
		configuration.setPassword(RedisPassword.of(password));
		return lettuce(configuration, Duration.ofSeconds(5));
	}

	static LettuceConnectionFactory lettuce(RedisStandaloneConfiguration configuration, Duration timeout) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration,
				LettuceClientConfiguration.builder().commandTimeout(timeout).shutdownTimeout(Duration.ZERO).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	static JedisConnectionFactory jedis(int port, Duration timeout) {
		return jedis(new RedisStandaloneConfiguration("127.0.0.1", port), timeout);
	}

	static JedisConnectionFactory jedis(RedisStandaloneConfiguration configuration, Duration timeout) {
		JedisConnectionFactory factory = new JedisConnectionFactory(configuration,
				JedisClientConfiguration.builder().readTimeout(timeout).connectTimeout(timeout).usePooling().build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
