package org.lockspring.autoconfigure;

import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.annotation.DistributedLock;
import org.lockspring.core.LockBackends;
import org.lockspring.core.LockTemplate;
import org.lockspring.jdbc.JdbcLockBackend;
import org.lockspring.memory.MemoryLockBackend;
import org.lockspring.redis.RedisLockBackend;
import org.lockspring.testing.PostgresServer;
import org.lockspring.testing.UsesServer;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Which applications have their locks in the database, and what they need there. */
@UsesServer({ "h2", "postgresql" })
class JdbcLockAutoConfigurationTests {

	private static final LockRequest CORRECT = LockRequest.of("k").withMode(LockMode.CORRECTNESS);

	private final ApplicationContextRunner withRedisAndDatabase = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class, LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class,
				LockFencingAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + h2(), "spring.data.redis.port=1");

	private final ApplicationContextRunner withDatabase = this.withRedisAndDatabase
		.withClassLoader(new FilteredClassLoader("org.springframework.data.redis",
				"org.springframework.boot.data.redis", "io.lettuce", "redis.clients"));

	private static String h2() {
		return "jdbc:h2:mem:" + UUID.randomUUID();
	}

	private static void assertLocks(ApplicationContext context, JdbcTemplate jdbc) {
		context.getBean(LockTemplate.class)
			.execute(CORRECT,
					(lease) -> assertThat(jdbc.queryForObject(
							"SELECT token FROM lock_entry WHERE name = ? AND expires_at > 0", Long.class, lease.name()))
						.isEqualTo(lease.fencingToken().value()));
	}

	@Test
	void databaseAloneServesBothModesAndFencesWithoutAnyProperty() {
		this.withDatabase.withBean(Locked.class).run((context) -> {
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			assertLocks(context, jdbc);
			LockTemplate locks = context.getBean(LockTemplate.class);
			locks.execute("k", (lease) -> {
				assertThat(lease.fencingToken()).isNull();
				return null;
			});
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			locks.execute(CORRECT, (lease) -> {
				transaction.executeWithoutResult((status) -> assertThat(
						jdbc.queryForMap("SELECT token, namespace FROM lock_fence WHERE resource = ?", lease.name()))
					.containsEntry("token", lease.fencingToken().value())
					.containsEntry("namespace", "jdbc"));
				return null;
			});
		});
	}

	@Test
	void databaseBesideRedisIsNoSecondCandidate() {
		this.withRedisAndDatabase.run((context) -> {
			assertThat(context).hasSingleBean(RedisLockBackend.class).doesNotHaveBean(JdbcLockBackend.class);
			assertThat(context.getBean(JdbcTemplate.class)
				.queryForList("SELECT table_name FROM information_schema.tables WHERE table_name = 'LOCK_ENTRY'"))
				.isEmpty();
		});
	}

	@Test
	void propertyChoosesItPerMode() {
		this.withRedisAndDatabase.withPropertyValues("lock.efficiency.backend=redis", "lock.correctness.backend=jdbc")
			.run((context) -> {
				LockBackends backends = context.getBean(LockBackends.class);
				assertThat(backends.efficiency()).isInstanceOf(RedisLockBackend.class);
				assertThat(backends.correctness()).isInstanceOf(JdbcLockBackend.class);
				assertLocks(context, context.getBean(JdbcTemplate.class));
			});
	}

	@Test
	void oneModeNamedAndRedisThereLeavesTheOtherOpen() {
		this.withRedisAndDatabase.withPropertyValues("lock.correctness.backend=jdbc").run((context) -> {
			FailureAnalysis analysis = new NoUniqueLockBackendFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getAction()).contains("lock.efficiency.backend", "redis", "jdbc");
		});
	}

	@Test
	void anotherBackendTakesItsPlace() {
		this.withDatabase.withBean(MemoryLockBackend.class)
			.run((context) -> assertThat(context).doesNotHaveBean(JdbcLockBackend.class));
	}

	@Test
	void missingClientIsExplainedInTheWordsOfAPom() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.correctness.backend=jdbc")
			.withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
			.run((context) -> {
				FailureAnalysis analysis = new LockBackendNotAvailableFailureAnalyzer()
					.analyze(context.getStartupFailure());
				assertThat(analysis.getAction()).contains("<artifactId>spring-boot-starter-jdbc</artifactId>", "driver",
						"@LockDataSource");
			});
	}

	@Test
	void missingTableEndsTheStartOfAnApplicationThatLocksByAnnotation() {
		this.withDatabase.withPropertyValues("lock.jdbc.initialize-schema=never")
			.withBean(Locked.class)
			.run((context) -> {
				FailureAnalysis analysis = new LockTableMissingFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("CREATE TABLE", "lock_entry");
				assertThat(analysis.getAction()).contains("lock.jdbc.initialize-schema=always", "@LockDataSource");
			});
	}

	@Test
	void missingTableIsLearnedAtTheFirstUseOtherwise() {
		this.withDatabase.withPropertyValues("lock.jdbc.initialize-schema=never")
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k"))
				.withMessageContaining("CREATE TABLE"));
	}

	@Test
	void tableIsCreatedElsewhereOnRequest() {
		PGSimpleDataSource database = PostgresServer.freshDatabase();
		this.withDatabase
			.withPropertyValues("spring.datasource.url=" + database.getUrl(), "spring.datasource.username=postgres",
					"spring.datasource.password=postgres", "lock.jdbc.initialize-schema=always",
					"lock.fencing.jdbc.initialize-schema=always")
			.run((context) -> assertLocks(context, context.getBean(JdbcTemplate.class)));
	}

	@Test
	void databaseThatIsDownDoesNotEndTheStart() {
		this.withDatabase
			.withPropertyValues("spring.datasource.url=jdbc:postgresql://127.0.0.1:1/x", "spring.datasource.username=x",
					"spring.datasource.hikari.connection-timeout=300")
			.withBean(Locked.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k"))
					.withMessageContainingAll("'k'", "spring.datasource");
			});
	}

	@Test
	void poolOfOneConnectionEndsTheStart() {
		this.withDatabase.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockDefinitionException.class)
				.hasMessageContaining("spring.datasource.hikari.maximum-pool-size"));
		this.withDatabase.withPropertyValues("spring.datasource.hikari.maximum-pool-size=2")
			.run((context) -> new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult(
						(status) -> context.getBean(LockTemplate.class).acquire(LockRequest.of("k")).close()));
	}

	@Test
	void markedDataSourceKeepsTheLocksAndNothingElse() {
		this.withDatabase.withUserConfiguration(OwnDataSource.class)
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1")
			.run((context) -> {
				assertLocks(context, new JdbcTemplate(context.getBean("locks", DataSource.class)));
				assertThat(context.getBean(JdbcTemplate.class)
					.queryForList("SELECT table_name FROM information_schema.tables WHERE table_schema = 'PUBLIC'",
							String.class))
					.containsExactly("LOCK_FENCE");
			});
	}

	@Test
	void valuesOutOfRangeEndTheStart() {
		for (String property : new String[] { "lock.jdbc.retention=0s", "lock.jdbc.timeout=-1s" }) {
			this.withDatabase.withPropertyValues(property)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.hasMessageContaining(property.substring(0, property.indexOf('='))));
		}
	}

	public static class Locked {

		@DistributedLock("locked")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnDataSource {

		@Bean(defaultCandidate = false)
		@LockDataSource
		HikariDataSource locks() {
			JdbcDataSource database = new JdbcDataSource();
			database.setUrl(h2());
			HikariDataSource pool = new HikariDataSource();
			pool.setDataSource(database);
			pool.setMaximumPoolSize(1);
			return pool;
		}

	}

}
