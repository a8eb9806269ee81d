package org.lockspring.autoconfigure;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockBackends;
import org.lockspring.core.LockOperations;
import org.lockspring.core.LockRegistry;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.memory.MemoryLockBackend;
import org.lockspring.redis.RedisLockBackend;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@UsesServer("redis")
class LockAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class));

	private final ApplicationContextRunner onRedis = this.contextRunner
		.withPropertyValues("spring.data.redis.port=" + RedisServer.shared().port(), "spring.application.name=billing");

	private final ApplicationContextRunner withoutRedis = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withClassLoader(new FilteredClassLoader("org.springframework.data.redis",
				"org.springframework.boot.data.redis", "io.lettuce", "redis.clients"));

	@Test
	void redisServesBothModesWithoutAnyProperty() {
		this.onRedis.run((context) -> {
			assertThat(context).hasSingleBean(LockTemplate.class).hasSingleBean(LockRegistry.class);
			LockTemplate template = context.getBean(LockTemplate.class);
			RedisServer.shared().flush();
			template.execute(LockRequest.of("daily").withMode(LockMode.CORRECTNESS), (lease) -> {
				assertThat(lease.fencingToken()).isNotNull();
				assertThat(RedisServer.shared().command("EXISTS", "billing:{daily}")).isEqualTo(1L);
				return null;
			});
			template.execute("daily", (lease) -> {
				assertThat(lease.fencingToken()).isNull();
				return null;
			});
			// The release is not waited for
			await().until(() -> RedisServer.shared().command("EXISTS", "billing:{daily}").equals(0L));
		});
	}

	@Test
	void jedisServesToo() {
		this.onRedis.withPropertyValues("spring.data.redis.client-type=jedis")
			.run((context) -> context.getBean(LockTemplate.class)
				.execute(LockRequest.of("jedis").withMode(LockMode.CORRECTNESS),
						(lease) -> assertThat(lease.isValid()).isTrue()));
	}

	@Test
	void lettuceMayBeAbsent() {
		this.onRedis.withClassLoader(new FilteredClassLoader("io.lettuce"))
			.run((context) -> context.getBean(LockTemplate.class)
				.execute(LockRequest.of("jedis").withMode(LockMode.CORRECTNESS),
						(lease) -> assertThat(lease.isValid()).isTrue()));
	}

	@Test
	void namespaceTtlAndWaitTimeAreProperties() {
		this.onRedis
			.withPropertyValues("lock.namespace=shop", "lock.ttl=7s", "lock.wait-time=3s",
					"lock.redis.fence-retention=1h")
			.run((context) -> {
				assertThat(context.getBean(LockSettings.class))
					.isEqualTo(new LockSettings("shop", Duration.ofSeconds(7), Duration.ofSeconds(3)));
				context.getBean(LockTemplate.class)
					.execute(LockRequest.of("retention").withMode(LockMode.CORRECTNESS), (lease) -> {
						assertThat((Long) RedisServer.shared().command("PTTL", lease.name())).isBetween(1L, 7000L);
						assertThat((Long) RedisServer.shared().command("TTL", lease.name() + ":fence")).isBetween(3590L,
								3600L);
						return null;
					});
			});
	}

	@Test
	void startsWithoutRedisAndTheCallNamesTheAddress() {
		this.contextRunner.withPropertyValues("spring.data.redis.port=1").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k"))
				.withMessageContainingAll("localhost:1", "'k'");
		});
	}

	@Test
	void startsWithoutARedisClientWhenNobodyLocks() {
		this.withoutRedis.run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(RedisLockBackend.class);
			assertThatExceptionOfType(InvalidLockDefinitionException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k"))
				.withMessageContainingAll("lock.efficiency.backend", "spring-boot-starter-data-redis");
		});
	}

	@Test
	void missingClientOfTheNamedBackendIsExplained() {
		this.withoutRedis.withPropertyValues("lock.correctness.backend=redis").run((context) -> {
			FailureAnalysis analysis = new LockBackendNotAvailableFailureAnalyzer()
				.analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("lock.correctness.backend", "redis");
			assertThat(analysis.getAction()).contains("<artifactId>spring-boot-starter-data-redis</artifactId>",
					"memory");
		});
	}

	@Test
	void unknownBackendFailsTheStartAndListsTheKnownOnes() {
		this.contextRunner.withPropertyValues("lock.efficiency.backend=reddis")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("reddis"));
	}

	@Test
	void valuesOutOfRangeFailTheStart() {
		for (String property : new String[] { "lock.ttl=0s", "lock.ttl=-1s", "lock.ttl=9ms", "lock.ttl=25h",
				"lock.wait-time=-1s" }) {
			this.contextRunner.withPropertyValues(property)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(IllegalArgumentException.class));
		}
		this.contextRunner.withPropertyValues("lock.ttl=soon").run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void severalBackendsFailTheStartAndSayWhatToSet() {
		this.contextRunner.withUserConfiguration(InMemory.class).run((context) -> {
			FailureAnalysis analysis = new NoUniqueLockBackendFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("redis", "memory");
			assertThat(analysis.getAction()).contains("lock.efficiency.backend", "@Primary");
		});
	}

	@Test
	void propertyChoosesPerMode() {
		this.contextRunner
			.withPropertyValues("lock.efficiency.backend=memory", "lock.correctness.backend=redis",
					"spring.data.redis.port=1")
			.run((context) -> {
				LockBackends backends = context.getBean(LockBackends.class);
				assertThat(backends.efficiency()).isInstanceOf(MemoryLockBackend.class);
				assertThat(backends.correctness()).isInstanceOf(RedisLockBackend.class);
			});
	}

	@Test
	void primaryBackendOfATestReplacesRedisThatDoesNotRun() {
		this.contextRunner.withPropertyValues("spring.data.redis.port=1")
			.withUserConfiguration(PrimaryInMemory.class)
			.run((context) -> context.getBean(LockTemplate.class)
				.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS),
						(lease) -> assertThat(lease.isValid()).isTrue()));
	}

	@Test
	void ownOperationsReplaceTheTemplate() {
		this.contextRunner
			.withBean(LockOperations.class, () -> new LockTemplate(new MemoryLockBackend(), new LockSettings("own")))
			.run((context) -> assertThat(context).hasSingleBean(LockOperations.class)
				.hasBean("lockRegistry")
				.doesNotHaveBean("lockTemplate"));
	}

	@Configuration(proxyBeanMethods = false)
	static class InMemory {

		@Bean
		MemoryLockBackend inMemory() {
			return new MemoryLockBackend();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryInMemory {

		@Bean
		@Primary
		MemoryLockBackend inMemory() {
			return new MemoryLockBackend();
		}

	}

}
