package org.lockspring.jdbc;

import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.testing.MariaDbServer;
import org.lockspring.testing.PostgresServer;
import org.lockspring.testing.SteppedClock;
import org.lockspring.testing.TestJvm;
import org.lockspring.testing.UsesServer;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A process whose clock is an hour off locks like the others, and shuts them out. */
@UsesServer({ "postgresql", "mariadb" })
@EnabledIf("org.lockspring.testing.SteppedClock#isAvailable")
class JdbcClockTests {

	private static final Duration TTL = Duration.ofSeconds(3);

	private final SteppedClock clock = new SteppedClock();

	@ParameterizedTest
	@ValueSource(longs = { -1, 1 })
	void clockOfTheApplicationDoesNotMatterOnPostgres(long hours) {
		PGSimpleDataSource database = PostgresServer.freshDatabase();
		verify(hours, database, "postgresql", database.getURL(), database.getUser(), database.getPassword());
	}

	@ParameterizedTest
	@ValueSource(longs = { -1, 1 })
	@EnabledIf("org.lockspring.testing.MariaDbServer#isAvailable")
	void clockOfTheApplicationDoesNotMatterOnMariaDb(long hours) {
		DriverManagerDataSource database = (DriverManagerDataSource) MariaDbServer.freshDatabase();
		verify(hours, database, "mariadb", database.getUrl(), database.getUsername(), database.getPassword());
	}

	private void verify(long hours, DataSource database, String platform, String url, String user, String password) {
		JdbcLockBackendContract.createTable(database, platform);
		this.clock.step(Duration.ofHours(hours));
		try (JdbcLockBackend here = new JdbcLockBackend(database, Duration.ofDays(7), Duration.ofSeconds(10))) {
			BackendLease first = granted(here.tryAcquire(JdbcWaiter.attempt(Duration.ofMinutes(10))));
			try (TestJvm there = TestJvm.start(this.clock, List.of(), JdbcWaiter.class,
					List.of(url, user, (password != null) ? password : "", TTL.toString()))) {
				there.awaitOutput("busy");
				assertThat(Long.parseLong(word(there, "clock")) - System.currentTimeMillis()).isBetween(
						Duration.ofHours(hours).minusMinutes(5).toMillis(),
						Duration.ofHours(hours).plusMinutes(5).toMillis());
				assertThat(there.output()).doesNotContain("granted");
				first.release().toCompletableFuture().join();
				there.awaitOutput("granted");
				assertThat(here.tryAcquire(JdbcWaiter.attempt(TTL))).isInstanceOf(Acquisition.Busy.class);
				assertThatItEndsAfterItsTtl(here, Long.parseLong(word(there, "granted")));
			}
		}
	}

	private static void assertThatItEndsAfterItsTtl(JdbcLockBackend here, long token) {
		long start = System.nanoTime();
		Acquisition next = await().atMost(TTL.multipliedBy(5))
			.until(() -> here.tryAcquire(JdbcWaiter.attempt(TTL)), Acquisition.Granted.class::isInstance);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TTL.multipliedBy(3));
		assertThat(granted(next).fencingToken().value()).isGreaterThan(token);
	}

	private static BackendLease granted(Acquisition acquisition) {
		return ((Acquisition.Granted) acquisition).lease();
	}

	/** What follows a word in the first line that begins with it. */
	private static String word(TestJvm program, String start) {
		return program.output()
			.lines()
			.filter((line) -> line.startsWith(start + " "))
			.findFirst()
			.orElseThrow()
			.substring(start.length() + 1);
	}

}
