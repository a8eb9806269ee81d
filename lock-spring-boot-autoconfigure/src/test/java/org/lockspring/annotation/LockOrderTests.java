package org.lockspring.annotation;

import java.util.List;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.lockspring.autoconfigure.LockFencingAutoConfiguration;

import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What a call passes first: Async, Retry, Lock, Transaction.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockOrderTests {

	@Test
	void everyAttemptOfARetryTakesTheLockAnew() {
		Locks.application(Flaky.class).run((context) -> {
			assertThat(context.getBean(Flaky.class).run()).isEqualTo(3);
			assertThat(context.getBean(RecordingBackend.class).events).containsExactly("acquired job", "released job",
					"acquired job", "released job", "acquired job", "released job");
		});
	}

	@Test
	void theOrderPropertyPutsTheLockAroundTheRetry() {
		Locks.application(Flaky.class)
			.withPropertyValues("lock.annotation.order=" + Ordered.LOWEST_PRECEDENCE)
			.run((context) -> {
				assertThat(context.getBean(Flaky.class).run()).isEqualTo(3);
				assertThat(context.getBean(RecordingBackend.class).events).containsExactly("acquired job",
						"released job");
			});
	}

	@Test
	void theCommitPrecedesTheRelease(CapturedOutput output) {
		transactional(DefaultTransactions.class).run((context) -> {
			context.getBean(Stock.class).take("7");
			assertThat(context.getBean(RecordingBackend.class).events).containsExactly("acquired 7", "begun",
					"committed", "released 7");
			assertThat(output).doesNotContain(" WARN ");
		});
	}

	@Test
	void aTransactionOfAnotherMethodIsNoneOfTheLocksBusiness(CapturedOutput output) {
		transactional(DefaultTransactions.class).run((context) -> {
			context.getBean(Stock.class).lockedOnly();
			context.getBean(Stock.class).transactionalOnly();
			assertThat(context.getBean(RecordingBackend.class).events).containsExactly("acquired only", "released only",
					"begun", "committed");
		});
	}

	@Test
	void anExceptionRollsBackAndReleases() {
		transactional(DefaultTransactions.class).run((context) -> {
			IllegalStateException thrown = new IllegalStateException("no");
			assertThatThrownBy(() -> context.getBean(Stock.class).fail("7", thrown)).isSameAs(thrown)
				.hasNoSuppressedExceptions();
			assertThat(context.getBean(RecordingBackend.class).events).containsExactly("acquired 7", "begun",
					"rolled back", "released 7");
			assertThat(context.getBean(JdbcTemplate.class).queryForObject("select count(*) from taken", Integer.class))
				.isZero();
			assertThat(context.getBean(RecordingBackend.class).isFree("7")).isTrue();
		});
	}

	@Test
	void anOuterTransactionOrderIsReportedOnceAndTheLockStaysOutside(CapturedOutput output) {
		transactional(OutermostTransactions.class).run((context) -> {
			context.getBean(Stock.class).take("7");
			assertThat(context.getBean(RecordingBackend.class).events).containsExactly("acquired 7", "begun",
					"committed", "released 7");
			assertThat(output.getOut().lines().filter((line) -> line.contains(" WARN "))).singleElement()
				.asString()
				.contains(String.valueOf(Ordered.HIGHEST_PRECEDENCE))
				.contains(String.valueOf(DistributedLockBeanPostProcessor.DEFAULT_ORDER));
		});
	}

	@Test
	void equalOrdersAreReportedOnceAndTheLockStaysOutside(CapturedOutput output) {
		transactional(DefaultTransactions.class)
			.withPropertyValues("lock.annotation.order=" + Ordered.LOWEST_PRECEDENCE)
			.run((context) -> {
				context.getBean(Stock.class).take("7");
				assertThat(context.getBean(RecordingBackend.class).events).containsExactly("acquired 7", "begun",
						"committed", "released 7");
				assertThat(output.getOut().lines().filter((line) -> line.contains(" WARN "))).hasSize(1);
			});
	}

	@Test
	void aTransactionAroundTheLockEndsTheStart() {
		transactional(LateTransactions.class)
			.run((context) -> assertThat(Locks.refusal(context)).hasMessageContaining("LockOrderTests.Stock#")
				.hasMessageContaining(String.valueOf(Ordered.LOWEST_PRECEDENCE))
				.hasMessageContaining("lock.annotation.order " + DistributedLockBeanPostProcessor.DEFAULT_ORDER));
	}

	@Test
	void raisingTheOrderHelpsAgainstATransactionAroundTheLock() {
		transactional(EarlierTransactions.class)
			.run((context) -> assertThat(Locks.refusal(context)).hasMessageContaining("lock.annotation.order"));
		transactional(EarlierTransactions.class)
			.withPropertyValues("lock.annotation.order=" + Ordered.LOWEST_PRECEDENCE)
			.run((context) -> {
				context.getBean(Stock.class).take("7");
				assertThat(context.getBean(RecordingBackend.class).events).containsExactly("acquired 7", "begun",
						"committed", "released 7");
			});
	}

	private static ApplicationContextRunner transactional(Class<?> configuration) {
		return Locks.application(Database.class, configuration)
			.withConfiguration(AutoConfigurations.of(LockFencingAutoConfiguration.class));
	}

	@EnableResilientMethods
	static class Flaky {

		private int calls;

		@Retryable(maxRetries = 2, delay = 1)
		@DistributedLock("job")
		public int run() {
			if (++this.calls < 3) {
				throw new IllegalStateException("not yet");
			}
			return this.calls;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Database {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		JdbcTemplate jdbcTemplate(DataSource dataSource) {
			JdbcTemplate template = new JdbcTemplate(dataSource);
			template.execute("create table taken (id varchar(10))");
			return template;
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource, RecordingBackend backend) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setTransactionExecutionListeners(List.of(new Recorder(backend)));
			return manager;
		}

		@Bean
		Stock stock(JdbcTemplate jdbc) {
			return new Stock(jdbc);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class DefaultTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = Ordered.HIGHEST_PRECEDENCE)
	static class OutermostTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	static class LateTransactions {

		@Bean
		TransactionInterceptor interceptor(TransactionManager manager) {
			return new TransactionInterceptor(manager, new AnnotationTransactionAttributeSource());
		}

		@Bean
		static BeanNameAutoProxyCreator creator() {
			return creator(Ordered.LOWEST_PRECEDENCE);
		}

		private static BeanNameAutoProxyCreator creator(int order) {
			BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
			creator.setBeanNames("stock");
			creator.setInterceptorNames("interceptor");
			creator.setProxyTargetClass(true);
			creator.setOrder(order);
			return creator;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlierTransactions {

		@Bean
		TransactionInterceptor interceptor(TransactionManager manager) {
			return new TransactionInterceptor(manager, new AnnotationTransactionAttributeSource());
		}

		@Bean
		static BeanNameAutoProxyCreator creator() {
			return LateTransactions.creator(Ordered.LOWEST_PRECEDENCE - 1);
		}

	}

	static class Stock {

		private final JdbcTemplate jdbc;

		Stock(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		@DistributedLock("#id")
		public void take(String id) {
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
			this.jdbc.update("insert into taken values (?)", id);
		}

		@Transactional
		@DistributedLock("#id")
		public void fail(String id, RuntimeException exception) {
			this.jdbc.update("insert into taken values (?)", id);
			throw exception;
		}

		@DistributedLock("only")
		public void lockedOnly() {
		}

		@Transactional
		public void transactionalOnly() {
		}

	}

	static class Recorder implements TransactionExecutionListener {

		private final RecordingBackend backend;

		Recorder(RecordingBackend backend) {
			this.backend = backend;
		}

		@Override
		public void afterBegin(TransactionExecution transaction, Throwable beginFailure) {
			this.backend.events.add("begun");
		}

		@Override
		public void afterCommit(TransactionExecution transaction, Throwable commitFailure) {
			this.backend.events.add("committed");
		}

		@Override
		public void afterRollback(TransactionExecution transaction, Throwable rollbackFailure) {
			this.backend.events.add("rolled back");
		}

	}

}
