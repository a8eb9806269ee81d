package org.lockspring.autoconfigure;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.annotation.DistributedLock;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** What an application learns of its locks when it starts. */
@UsesServer("redis")
@ExtendWith(OutputCaptureExtension.class)
class LockStartCheckTests {

	private final ApplicationContextRunner withoutDatabase = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
				LockAnnotationAutoConfiguration.class, LockFencingAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=" + RedisServer.shared().port());

	private final ApplicationContextRunner withDatabase = this.withoutDatabase
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withPropertyValues("spring.datasource.generate-unique-name=true");

	@Test
	void correctnessWithoutTheTableFailsTheStartAndNamesTheStatement() {
		this.withDatabase.withPropertyValues("lock.fencing.jdbc.initialize-schema=never")
			.withBean(Correct.class)
			.run((context) -> {
				FailureAnalysis analysis = new FenceTableMissingFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis.getAction()).containsIgnoringCase("CREATE TABLE")
					.contains("lock_fence", "lock.fencing.jdbc.initialize-schema");
			});
	}

	@Test
	void efficiencyNeedsNoTable() {
		this.withDatabase.withPropertyValues("lock.fencing.jdbc.initialize-schema=never")
			.withBean(Efficient.class)
			.run((context) -> {
				context.getBean(Efficient.class).run();
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> context.getBean(LockTemplate.class)
						.acquire(LockRequest.of("k").withMode(LockMode.CORRECTNESS)))
					.withMessageContainingAll("lock_fence", "CREATE TABLE");
			});
	}

	@Test
	void tableIsCreatedInAnEmbeddedDatabase() {
		this.withDatabase.withBean(Correct.class).run((context) -> {
			context.getBean(Correct.class).run();
			try (var connection = context.getBean(DataSource.class).getConnection();
					var rows = connection.createStatement()
						.executeQuery("SELECT resource, namespace FROM lock_fence")) {
				assertThat(rows.next()).isTrue();
				assertThat(rows.getString(1)).contains("{correct}");
				assertThat(rows.getString(2)).isEqualTo("redis");
			}
		});
	}

	@Test
	void correctnessWithoutAnyGuardIsWarnedOf(CapturedOutput output) {
		this.withoutDatabase.withBean(Correct.class).run((context) -> {
			context.getBean(Correct.class).run();
			assertThat(output.getOut().lines().filter((line) -> line.contains("WARN"))).singleElement()
				.asString()
				.contains("Correct#run", "FencingGuard");
		});
	}

	@Test
	void modeWithoutAnyBackendFailsTheStart() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis",
					"org.springframework.boot.data.redis", "io.lettuce", "redis.clients"))
			.withBean(Efficient.class)
			.run((context) -> {
				FailureAnalysis analysis = new InvalidLockDefinitionFailureAnalyzer()
					.analyze(context.getStartupFailure());
				assertThat(analysis.getDescription() + analysis.getAction()).contains("lock.efficiency.backend",
						"spring-boot-starter-data-redis");
				assertThat(context.getStartupFailure()).rootCause().isInstanceOf(InvalidLockDefinitionException.class);
			});
	}

	@Test
	void evictionIsWarnedOfOnceAfterTheStart(CapturedOutput output) {
		try (RedisServer cache = RedisServer.start("maxmemory 100mb", "maxmemory-policy allkeys-lru")) {
			this.withDatabase.withPropertyValues("spring.data.redis.port=" + cache.port())
				.withBean(Correct.class)
				.withBean(Efficient.class)
				.run((context) -> {
					context.publishEvent(new ApplicationReadyEvent(new SpringApplication(), new String[0],
							context.getSourceApplicationContext(), null));
					await().until(() -> output.getOut().contains("allkeys-lru"));
					assertThat(output.getOut().lines().filter((line) -> line.contains("allkeys-lru"))).singleElement()
						.asString()
						.contains("WARN", "evict");
				});
		}
	}

	static class Correct {

		@DistributedLock(key = "correct", mode = LockMode.CORRECTNESS)
		public void run() {
		}

	}

	static class Efficient {

		@DistributedLock("efficient")
		public void run() {
		}

	}

}
