package org.lockspring.jdbc;

import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.lockspring.Acquisition;
import org.lockspring.Assumption.Finding;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.testing.PostgresServer;
import org.lockspring.testing.UsesServer;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.StatementCallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@UsesServer("postgresql")
class PostgresLockFaultTests extends JdbcLockFaultContract {

	private final PGSimpleDataSource database = PostgresServer.freshDatabase();

	@Override
	int port() {
		return PostgresServer.port();
	}

	@Override
	DataSource database(int port) {
		PGSimpleDataSource dataSource = new PGSimpleDataSource();
		dataSource.setServerNames(this.database.getServerNames());
		dataSource.setPortNumbers(new int[] { port });
		dataSource.setDatabaseName(this.database.getDatabaseName());
		dataSource.setUser(this.database.getUser());
		dataSource.setPassword(this.database.getPassword());
		// What a time-out of a statement may take beyond it, 10 s by default
		dataSource.setCancelSignalTimeout(1);
		return dataSource;
	}

	@Override
	String platform() {
		return "postgresql";
	}

	@Override
	void pause() {
		PostgresServer.pause();
	}

	@Override
	void resume() {
		PostgresServer.resume();
	}

	@Override
	void crash() {
		PostgresServer.crash();
	}

	private JdbcLockBackend backend(DataSource dataSource) {
		return new JdbcLockBackend(dataSource, Duration.ofDays(7), Duration.ofSeconds(1));
	}

	private static LockAttempt attempt() {
		return new LockAttempt("app:{k}", UUID.randomUUID().toString(), LockMode.EFFICIENCY, Duration.ofMinutes(1),
				"'k'");
	}

	@Test
	void databaseThatIsReadOnlyForAWhileIsUnavailableAndThenWorks() {
		JdbcTemplate jdbc = new JdbcTemplate(this.database);
		String name = this.database.getDatabaseName();
		jdbc.execute("ALTER DATABASE " + name + " SET default_transaction_read_only = on");
		try (JdbcLockBackend backend = backend(this.database)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> backend.tryAcquire(attempt()))
				.withMessageContaining("read-only")
				.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
			jdbc.execute((StatementCallback<Boolean>) (statement) -> {
				statement.execute("SET default_transaction_read_only = off");
				return statement.execute("ALTER DATABASE " + name + " RESET default_transaction_read_only");
			});
			assertThat(backend.tryAcquire(attempt())).isInstanceOf(Acquisition.Granted.class);
		}
	}

	@Test
	void missingRightsAndAWrongPasswordAreSaidOnce() {
		new JdbcTemplate(this.database).execute("CREATE ROLE stranger LOGIN PASSWORD 'x'");
		try {
			PGSimpleDataSource stranger = (PGSimpleDataSource) database(port());
			stranger.setUser("stranger");
			stranger.setPassword("x");
			assertRefused(stranger, "Grant SELECT, INSERT, UPDATE and DELETE");
			PGSimpleDataSource nobody = (PGSimpleDataSource) database(port());
			nobody.setUser("nobody");
			assertRefused(nobody, "spring.datasource.username");
		}
		finally {
			new JdbcTemplate(this.database).execute("DROP ROLE stranger");
		}
	}

	private void assertRefused(DataSource dataSource, String remedy) {
		try (JdbcLockBackend backend = backend(dataSource)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> backend.tryAcquire(attempt()))
				.withMessageContaining(remedy)
				.satisfies((ex) -> assertThat(ex.isRetryable()).isFalse());
		}
	}

	@Test
	void rowThatAnAdministratorKeepsLockedIsUnavailableAndPilesUpNoBackends() {
		JdbcTemplate jdbc = new JdbcTemplate(this.database);
		jdbc.update("INSERT INTO lock_entry VALUES ('app:{k}', 'x', 1, 0)");
		try (JdbcLockBackend backend = backend(this.database);
				var connection = this.database.getConnection();
				var statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.execute("SELECT * FROM lock_entry FOR UPDATE");
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> backend.tryAcquire(attempt()));
			}
			assertThat(jdbc.queryForObject("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
					Integer.class))
				.isZero();
			connection.rollback();
			assertThat(backend.tryAcquire(attempt())).isInstanceOf(Acquisition.Granted.class);
		}
		catch (java.sql.SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void settingsThatLoseCommitsAreReported() {
		try (JdbcLockBackend backend = backend(this.database)) {
			assertThat(backend.assumptions(LockMode.CORRECTNESS)).anySatisfy((assumption) -> {
				assertThat(assumption.finding()).isEqualTo(Finding.VIOLATED);
				assertThat(assumption.detail()).contains("fsync off", "synchronous_commit on");
			});
		}
	}

}
