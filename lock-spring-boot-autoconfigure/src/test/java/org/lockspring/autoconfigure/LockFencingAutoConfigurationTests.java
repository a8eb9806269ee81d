package org.lockspring.autoconfigure;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockTemplate;
import org.lockspring.fencing.FencingGuard;
import org.lockspring.jdbc.JdbcFencingGuard;
import org.lockspring.testing.PostgresServer;
import org.lockspring.testing.UsesServer;
import org.lockspring.transaction.DeferredRelease;
import org.lockspring.transaction.TransactionFence;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@UsesServer({ "h2", "postgresql" })
@ExtendWith(OutputCaptureExtension.class)
class LockFencingAutoConfigurationTests {

	private static final LockRequest REQUEST = LockRequest.of("k").withMode(LockMode.CORRECTNESS);

	private final ApplicationContextRunner locksOnly = new ApplicationContextRunner()
		.withPropertyValues("lock.efficiency.backend=memory", "lock.correctness.backend=memory")
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockFencingAutoConfiguration.class));

	private final ApplicationContextRunner withTransactions = this.locksOnly.withConfiguration(AutoConfigurations.of(
			TransactionManagerCustomizationAutoConfiguration.class, TransactionAutoConfiguration.class,
			JdbcTemplateAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class));

	private final ApplicationContextRunner contextRunner = this.withTransactions
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceInitializationAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + h2());

	private static String h2() {
		return "jdbc:h2:mem:" + UUID.randomUUID();
	}

	private static void assertFenced(ApplicationContext context, JdbcTemplate jdbc) {
		LockTemplate locks = context.getBean(LockTemplate.class);
		TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		jdbc.execute("DELETE FROM lock_fence");
		locks.execute(REQUEST, (lease) -> {
			jdbc.execute("DELETE FROM lock_fence");
			transaction.executeWithoutResult((status) -> assertThat(
					jdbc.queryForMap("SELECT token, owner, namespace FROM lock_fence WHERE resource = ?", lease.name()))
				.containsEntry("token", lease.fencingToken().value())
				.containsEntry("owner", lease.fencingToken().owner())
				.containsEntry("namespace", "memory"));
			return null;
		});
	}

	private static void assertFenced(ApplicationContext context) {
		assertFenced(context, context.getBean(JdbcTemplate.class));
	}

	private static void assertRuns(ApplicationContext context, LockRequest request) {
		String result = context.getBean(LockTemplate.class).execute(request, (lease) -> "ran");
		assertThat(result).isEqualTo("ran");
	}

	@Test
	void everyTransactionOfAnEmbeddedDatabaseIsFenced(CapturedOutput output) {
		this.contextRunner.run((context) -> {
			assertFenced(context);
			assertThat(context.getBean(ConfigurableTransactionManager.class).getTransactionExecutionListeners())
				.containsOnlyOnce(context.getBean(TransactionFence.class));
		});
		assertThat(output).doesNotContain("not eligible for getting processed");
	}

	@Test
	void transactionsOfJpaAreFenced(CapturedOutput output) {
		this.contextRunner.withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
			.run((context) -> {
				assertThat(context.getBean(PlatformTransactionManager.class).getClass().getSimpleName())
					.isEqualTo("JpaTransactionManager");
				assertFenced(context);
			});
		assertThat(output).doesNotContain("not eligible for getting processed");
	}

	@Test
	void transactionsOfTheUsersOwnManagerAreFenced() {
		this.contextRunner.withUserConfiguration(OwnTransactionManager.class).run((context) -> {
			assertThat(context.getBean(PlatformTransactionManager.class)).isSameAs(context.getBean("own"));
			assertFenced(context);
		});
	}

	@Test
	void withoutADataSourceNothingIsGuarded() {
		this.locksOnly.run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(FencingGuard.class).hasSingleBean(DeferredRelease.class);
			assertRuns(context, REQUEST);
		});
	}

	@Test
	void jdbcMayBeAbsent() {
		this.locksOnly
			.withClassLoader(
					new FilteredClassLoader("org.springframework.jdbc", "org.springframework.boot.jdbc", "com.zaxxer"))
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(FencingGuard.class);
				assertRuns(context, REQUEST);
			});
	}

	@Test
	void transactionsMayBeAbsent() {
		this.locksOnly
			.withClassLoader(new FilteredClassLoader("org.springframework.transaction", "org.springframework.dao",
					"org.springframework.jdbc", "org.springframework.boot.jdbc", "org.springframework.data"))
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean("transactionFence");
				assertRuns(context, REQUEST);
			});
	}

	@Test
	void severalDataSourcesWithoutAPrimaryOneAreNotGuarded(CapturedOutput output) {
		this.withTransactions.withUserConfiguration(TwoDataSources.class, FirstTransactionManager.class)
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(FencingGuard.class);
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				for (int i = 0; i < 2; i++) {
					context.getBean(LockTemplate.class)
						.execute(REQUEST, (lease) -> transaction.execute((status) -> "ran"));
				}
			});
		assertThat(output.toString().split("no fencing guard watches its data", -1)).hasSize(2);
		assertThat(output).contains("lock.fencing.jdbc.data-source");
	}

	@Test
	void propertyNamesTheGuardedDataSource() {
		this.withTransactions.withUserConfiguration(TwoDataSources.class, FirstTransactionManager.class)
			.withPropertyValues("lock.fencing.jdbc.data-source=first")
			.run((context) -> assertFenced(context, new JdbcTemplate(context.getBean("first", DataSource.class))));
	}

	@Test
	void propertyThatNamesNoDataSourceFailsTheStart() {
		this.contextRunner.withPropertyValues("lock.fencing.jdbc.data-source=frist")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("frist"));
	}

	@Test
	void usersOwnGuardTakesTheirPlace() {
		this.contextRunner.withUserConfiguration(OwnGuard.class).run((context) -> {
			assertThat(context).hasSingleBean(FencingGuard.class).doesNotHaveBean(JdbcFencingGuard.class);
			context.getBean(LockTemplate.class).execute(REQUEST, (lease) -> null);
			assertThat(context.getBean(OwnGuard.class).claims).hasSize(1);
		});
	}

	@Test
	void claimOnAcquireCanBeLeftOut() {
		this.contextRunner.withUserConfiguration(OwnGuard.class)
			.withPropertyValues("lock.fencing.claim-on-acquire=false")
			.run((context) -> {
				context.getBean(LockTemplate.class).execute(REQUEST, (lease) -> null);
				assertThat(context.getBean(OwnGuard.class).claims).isEmpty();
			});
	}

	@Test
	void claimTimeoutOfZeroFailsTheStart() {
		this.contextRunner.withPropertyValues("lock.fencing.claim-timeout=0s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockDefinitionException.class)
				.hasMessageContaining("lock.fencing.claim-timeout"));
	}

	@Test
	void guardWaitsForEveryDatabaseInitializer() {
		this.contextRunner.run((context) -> {
			ConfigurableListableBeanFactory beans = (ConfigurableListableBeanFactory) context
				.getAutowireCapableBeanFactory();
			assertThat(beans.getBeanDefinition("jdbcFencingGuard").getDependsOn())
				.contains("lockFenceDataSourceScriptDatabaseInitializer", "dataSourceScriptDatabaseInitializer");
		});
	}

	@Test
	void databaseInitializerMayNeedATransactionManager() {
		this.contextRunner.withUserConfiguration(InitializerWithTransactions.class)
			.run((context) -> assertFenced(context));
	}

	@Test
	void tableIsNotCreatedInADatabaseThatIsNotEmbedded(@TempDir Path directory) {
		this.contextRunner.withPropertyValues("spring.datasource.url=jdbc:h2:file:" + directory.resolve("db"))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> context.getBean(LockTemplate.class).execute(REQUEST, (lease) -> null))
					.withMessageContaining("CREATE TABLE");
			});
	}

	@Test
	void tableIsCreatedOnRequest() {
		PGSimpleDataSource database = PostgresServer.freshDatabase();
		for (int start = 0; start < 2; start++) {
			this.contextRunner
				.withPropertyValues("spring.datasource.url=" + database.getUrl(), "spring.datasource.username=postgres",
						"spring.datasource.password=postgres", "lock.fencing.jdbc.initialize-schema=always",
						"lock.fencing.jdbc.continue-on-error=false")
				.run((context) -> assertFenced(context));
		}
	}

	@Test
	void missingTableFailsTheCheckWithItsStatement() {
		this.contextRunner.withPropertyValues("lock.fencing.jdbc.initialize-schema=never").run((context) -> {
			assertThat(context).hasNotFailed();
			assertRuns(context, LockRequest.of("k"));
			FenceTableCheck check = context.getBean(FenceTableCheck.class);
			assertThatExceptionOfType(FenceTableMissingException.class).isThrownBy(check::requireTable)
				.satisfies((ex) -> {
					FailureAnalysis analysis = new FenceTableMissingFailureAnalyzer().analyze(ex);
					assertThat(analysis.getDescription()).contains("lock_fence", "CORRECTNESS");
					assertThat(analysis.getAction()).contains("CREATE TABLE IF NOT EXISTS lock_fence",
							"lock.fencing.jdbc.initialize-schema=always");
					context.getBean(JdbcTemplate.class).execute(ex.getCreateStatement());
				});
			check.requireTable();
			assertFenced(context);
		});
	}

	@Test
	void databaseThatDoesNotAnswerStopsNeitherTheStartNorTheCheck() {
		this.contextRunner
			.withPropertyValues("spring.datasource.url=jdbc:postgresql://127.0.0.1:1/nowhere",
					"spring.datasource.hikari.connection-timeout=250", "spring.sql.init.mode=never")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(FenceTableCheck.class).requireTable();
				assertRuns(context, LockRequest.of("k"));
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> context.getBean(LockTemplate.class).execute(REQUEST, (lease) -> null))
					.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
			});
	}

	@Test
	void databaseWithoutAScriptDoesNotStopTheStart() {
		this.contextRunner
			.withPropertyValues("lock.fencing.jdbc.initialize-schema=always", "lock.fencing.jdbc.platform=oracle")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTransactionManager {

		@Bean
		JdbcTransactionManager own(DataSource dataSource) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setTransactionExecutionListeners(List.of());
			return manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSources {

		@Bean
		DataSource first() {
			return new DriverManagerDataSource(h2() + ";DB_CLOSE_DELAY=-1");
		}

		@Bean
		DataSource second() {
			return new DriverManagerDataSource(h2() + ";DB_CLOSE_DELAY=-1");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FirstTransactionManager {

		@Bean
		JdbcTransactionManager transactionManager(DataSource first) {
			return new JdbcTransactionManager(first);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnGuard {

		private final List<String> claims = new CopyOnWriteArrayList<>();

		@Bean
		FencingGuard ownGuard() {
			return (resource, token) -> this.claims.add(resource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InitializerWithTransactions {

		@Bean
		DataSourceScriptDatabaseInitializer needsTransactions(DataSource dataSource,
				PlatformTransactionManager transactionManager) {
			new TransactionTemplate(transactionManager).executeWithoutResult(
					(status) -> new JdbcTemplate(dataSource).execute("CREATE TABLE IF NOT EXISTS migrated (id INT)"));
			return new DataSourceScriptDatabaseInitializer(dataSource, new DatabaseInitializationSettings());
		}

	}

}
