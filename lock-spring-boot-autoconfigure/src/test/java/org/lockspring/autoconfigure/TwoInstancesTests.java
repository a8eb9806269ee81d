package org.lockspring.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.LockMode;
import org.lockspring.annotation.DistributedLock;
import org.lockspring.testing.PostgresServer;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of one application, with one Redis and one PostgreSQL, as a user would
 * start them: read, write back, commit slowly.
 */
@UsesServer({ "redis", "postgresql" })
class TwoInstancesTests {

	private static final int STOCK = 20;

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void lockOutlastsTheCommitOfTheMethodThatIsAlsoTransactional(LockMode mode) throws Exception {
		PGSimpleDataSource database = PostgresServer.freshDatabase();
		JdbcTemplate jdbc = new JdbcTemplate(database);
		jdbc.execute("CREATE TABLE stock (id bigint PRIMARY KEY, amount int)");
		jdbc.update("INSERT INTO stock VALUES (1, ?)", STOCK);
		ExecutorService callers = Executors.newFixedThreadPool(STOCK);
		try (ConfigurableApplicationContext one = start(database);
				ConfigurableApplicationContext two = start(database)) {
			List<Future<?>> calls = new ArrayList<>();
			for (int i = 0; i < STOCK; i++) {
				Shop shop = ((i % 2 == 0) ? one : two).getBean(Shop.class);
				calls.add(callers.submit(() -> {
					if (mode == LockMode.EFFICIENCY) {
						shop.sell(1);
					}
					else {
						shop.sellFenced(1);
					}
				}));
			}
			for (Future<?> call : calls) {
				call.get(2, TimeUnit.MINUTES);
			}
		}
		finally {
			callers.shutdownNow();
		}
		assertThat(jdbc.queryForObject("SELECT amount FROM stock WHERE id = 1", Integer.class)).isZero();
	}

	private static ConfigurableApplicationContext start(PGSimpleDataSource database) {
		SpringApplication application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.application.name=shop", "spring.data.redis.port=" + RedisServer.shared().port(),
					"spring.datasource.url=" + database.getURL(), "spring.datasource.username=" + database.getUser(),
					"spring.datasource.password=", "lock.fencing.jdbc.initialize-schema=always", "lock.wait-time=100s")
			.build();
		return application.run();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Shop.class)
	static class Application {

	}

	static class Shop {

		private final JdbcTemplate jdbc;

		Shop(DataSource dataSource) {
			this.jdbc = new JdbcTemplate(dataSource);
		}

		@Transactional
		@DistributedLock(key = "stock:#{#id}")
		public void sell(long id) {
			takeOne(id);
		}

		@Transactional
		@DistributedLock(key = "stock:#{#id}", mode = LockMode.CORRECTNESS)
		public void sellFenced(long id) {
			takeOne(id);
		}

		private void takeOne(long id) {
			int amount = this.jdbc.queryForObject("SELECT amount FROM stock WHERE id = ?", Integer.class, id);
			this.jdbc.update("UPDATE stock SET amount = ? WHERE id = ?", amount - 1, id);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					// The commit takes its time: who did not wait for it reads what was
					// before
					Shop.this.jdbc.execute("SELECT pg_sleep(0.05)");
				}

			});
		}

	}

}
