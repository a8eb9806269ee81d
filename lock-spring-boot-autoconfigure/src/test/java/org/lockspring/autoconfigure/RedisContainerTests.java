package org.lockspring.autoconfigure;

import java.util.Set;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.lockspring.core.LockOperations;
import org.lockspring.testing.TestServers;
import org.lockspring.testing.UsesServer;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.junit.jupiter.Testcontainers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.context.ImportTestcontainers;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application whose Redis is a container, connected through {@link ServiceConnection}
 * and nothing else. Skipped where no container engine answers.
 */
@SpringBootTest
@UsesServer("redis-container")
@ImportTestcontainers
@Testcontainers(disabledWithoutDocker = true)
class RedisContainerTests {

	static final int PORT = 6379;

	/**
	 * Started and stopped by the application context, so that it outlives the
	 * connections. It waits for the log: the wait for a listening port needs a shell
	 * inside the image.
	 */
	@ServiceConnection(name = "redis")
	static final GenericContainer<?> redis = new GenericContainer<>(image()).withExposedPorts(PORT)
		.waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));

	@BeforeAll
	static void tellVersion(@Autowired StringRedisTemplate template) {
		String version = template.execute((RedisCallback<String>) (
				connection) -> connection.serverCommands().info("server").getProperty("redis_version"));
		TestServers.started("redis-container", version);
	}

	@Autowired
	LockOperations locks;

	@Autowired
	StringRedisTemplate template;

	@Autowired
	RedisConnectionFactory connectionFactory;

	@Test
	void connectsToTheContainer() {
		assertThat(this.connectionFactory).isInstanceOfSatisfying(LettuceConnectionFactory.class, (lettuce) -> {
			assertThat(lettuce.getHostName()).isEqualTo(redis.getHost());
			assertThat(lettuce.getPort()).isEqualTo(redis.getMappedPort(PORT));
		});
	}

	@Test
	void aLockIsAnEntryInTheContainer() {
		Set<String> during = this.locks.execute("order:1", (lease) -> this.template.keys("*order*1*"));

		assertThat(during).isNotEmpty();
		await().untilAsserted(() -> assertThat(this.template.keys("*order*1*")).isEmpty());
	}

	private static String image() {
		return System.getenv().getOrDefault("LOCK_TEST_REDIS_IMAGE", "redis:7");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class Application {

	}

}
