package org.lockspring.autoconfigure;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import javax.sql.DataSource;

import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockLostEvent;
import org.lockspring.core.LockTemplate;
import org.lockspring.fencing.StaleFencingTokenException;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * A program that is stopped while it holds a lock, and writes when it goes on.
 */
final class StalledHolder {

	static final Duration TTL = Duration.ofSeconds(1);

	static final String MARK = "# ";

	private StalledHolder() {
	}

	public static void main(String[] args) {
		try (ConfigurableApplicationContext context = start(args)) {
			Stock stock = context.getBean(Stock.class);
			LockTemplate locks = context.getBean(LockTemplate.class);
			locks.execute(LockRequest.of("warm").withMode(LockMode.CORRECTNESS), (lease) -> null);
			LockRequest request = LockRequest.of("stock")
				.withMode(LockMode.CORRECTNESS)
				.withTtl(TTL)
				.withWaitTime(Duration.ofSeconds(30));
			locks.execute(request, (lease) -> {
				say("holds");
				long woke = awaitStall();
				try {
					stock.write(1);
					say("wrote");
				}
				catch (StaleFencingTokenException | LockLostException ex) {
					say(ex.getClass().getSimpleName());
				}
				while (stock.lostAt() == 0) {
					Thread.sleep(1);
				}
				say(String.valueOf(Duration.ofNanos(stock.lostAt() - woke).toMillis()));
				return null;
			});
		}
		catch (LockLostException ex) {
			say("lost");
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Return the first instant after the stall, on the monotonic clock. */
	private static long awaitStall() throws InterruptedException {
		long last = System.nanoTime();
		while (true) {
			Thread.sleep(1);
			long now = System.nanoTime();
			if (now - last > TTL.toNanos()) {
				return now;
			}
			last = now;
		}
	}

	private static void say(String word) {
		System.out.println(MARK + word);
	}

	/**
	 * Start an application.
	 * @param args the port of Redis, the address of the database, its user
	 */
	static ConfigurableApplicationContext start(String... args) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.properties("spring.application.name=stalled", "spring.data.redis.port=" + args[0],
					"spring.datasource.url=" + args[1], "spring.datasource.username=" + args[2],
					"spring.datasource.password=", "lock.fencing.jdbc.initialize-schema=always")
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
			DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
			LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class, LockFencingAutoConfiguration.class })
	@Import(Stock.class)
	static class Application {

	}

	static class Stock {

		private final JdbcTemplate jdbc;

		private final AtomicLong lostAt = new AtomicLong();

		Stock(DataSource dataSource) {
			this.jdbc = new JdbcTemplate(dataSource);
		}

		@Transactional
		public void write(int amount) {
			this.jdbc.update("UPDATE stock SET amount = ?", amount);
		}

		/** A field of the proxy would always be null. */
		long lostAt() {
			return this.lostAt.get();
		}

		@EventListener
		public void lost(LockLostEvent event) {
			this.lostAt.compareAndSet(0, System.nanoTime());
		}

	}

}
