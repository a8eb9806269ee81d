package org.lockspring.jdbc;

import java.time.Duration;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.FencingToken;
import org.lockspring.testing.PostgresServer;
import org.lockspring.testing.UsesServer;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.StatementCallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@UsesServer("postgresql")
class PostgresFencingGuardTests extends JdbcFencingGuardContract {

	@Override
	DataSource freshDatabase() {
		return PostgresServer.freshDatabase();
	}

	@Override
	String platform() {
		return "postgresql";
	}

	@Override
	String shortLockTimeout() {
		return "SET lock_timeout = 300";
	}

	@Override
	boolean failsOnOldSnapshot() {
		return true;
	}

	@Test
	void databaseThatIsReadOnlyForAWhileIsUnavailableAndThenWorks() {
		PGSimpleDataSource dataSource = PostgresServer.freshDatabase();
		JdbcFencingGuard guard = new JdbcFencingGuard(dataSource, "redis", TIMEOUT);
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		jdbc.execute(guard.createStatement());
		jdbc.execute("ALTER DATABASE " + dataSource.getDatabaseName() + " SET default_transaction_read_only = on");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> guard.claim("r", new FencingToken(1, "a")))
			.withMessageContaining("read-only")
			.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
		jdbc.execute((StatementCallback<Boolean>) (statement) -> {
			statement.execute("SET default_transaction_read_only = off");
			return statement
				.execute("ALTER DATABASE " + dataSource.getDatabaseName() + " RESET default_transaction_read_only");
		});
		guard.claim("r", new FencingToken(1, "a"));
	}

	@Test
	void databaseThatDoesNotAnswerIsUnavailable() {
		PGSimpleDataSource dataSource = new PGSimpleDataSource();
		dataSource.setServerNames(new String[] { "127.0.0.1" });
		dataSource.setPortNumbers(new int[] { 1 });
		JdbcFencingGuard guard = new JdbcFencingGuard(dataSource, "redis", Duration.ofSeconds(1));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> guard.claim("r", new FencingToken(1, "a")))
			.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
	}

}
