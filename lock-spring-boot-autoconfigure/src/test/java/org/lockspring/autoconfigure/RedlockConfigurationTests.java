package org.lockspring.autoconfigure;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockTemplate;
import org.lockspring.redis.RedlockBackend;
import org.lockspring.testing.RedisServers;
import org.lockspring.testing.UsesServer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@UsesServer("redis")
class RedlockConfigurationTests {

	private static RedisServers servers;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("spring.application.name=billing", "lock.redlock.bootstrap=true");

	@BeforeAll
	static void start() {
		servers = RedisServers.start(3, "requirepass secret");
	}

	@AfterAll
	static void stop() {
		servers.close();
	}

	@BeforeEach
	void flush() {
		servers.flush();
	}

	@Test
	void servesTheModesThatNameIt() {
		this.contextRunner
			.withPropertyValues("lock.correctness.backend=redlock", "lock.efficiency.backend=redlock", nodes("secret"))
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				template.execute(LockRequest.of("daily").withMode(LockMode.CORRECTNESS), (lease) -> {
					assertThat(lease.fencingToken()).isNotNull();
					assertThat(servers.keys("billing:{daily}")).hasSizeGreaterThanOrEqualTo(2);
					return null;
				});
				template.execute("daily", (lease) -> {
					assertThat(lease.fencingToken()).isNull();
					return null;
				});
			});
	}

	@Test
	void isNotTakenWithoutBeingNamedBesideAnotherBackend() {
		this.contextRunner.withPropertyValues(nodes("secret"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoUniqueLockBackendException.class)
				.hasMessageContaining("redis")
				.hasMessageContaining("redlock"));
	}

	@Test
	void isNotThereWithoutNodes() {
		this.contextRunner.run((context) -> assertThat(context).doesNotHaveBean(RedlockBackend.class));
		this.contextRunner.withPropertyValues("lock.correctness.backend=redlock")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockBackendNotAvailableException.class));
	}

	@Test
	void uriThatCannotBeUnderstoodEndsTheStartWithoutItsPassword() {
		this.contextRunner
			.withPropertyValues("lock.correctness.backend=redlock", "lock.redlock.nodes=http://user:hidden@host,b,c")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockDefinitionException.class)
				.hasMessageContaining("redis://user:password@host:port")
				.hasMessageNotContaining("hidden"));
	}

	@Test
	void wrongPasswordIsToldAndNotRetried() {
		this.contextRunner
			.withPropertyValues("lock.correctness.backend=redlock", "lock.efficiency.backend=redlock", nodes("wrong"))
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean(LockTemplate.class)
				.satisfies((template) -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.acquire(LockRequest.of("k").withMode(LockMode.CORRECTNESS)))
					.withMessageContaining("WRONGPASS")
					.satisfies((ex) -> assertThat(ex.isRetryable()).isFalse())));
	}

	private static String nodes(String password) {
		return "lock.redlock.nodes=" + String.join(",",
				servers.uris().stream().map((uri) -> uri.replace("redis://", "redis://:" + password + "@")).toList());
	}

}
