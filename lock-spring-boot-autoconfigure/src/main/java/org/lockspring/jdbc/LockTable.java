package org.lockspring.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;

/**
 * The table of locks. Every statement is a transaction of its own, and is repeated while
 * the database prefers other transactions.
 */
final class LockTable {

	private static final int MOST_TRIES = 20;

	private final LockConnections connections;

	private final int timeoutSeconds;

	private volatile @Nullable LockStatements statements;

	LockTable(DataSource dataSource, Duration timeout) {
		this.connections = new LockConnections(dataSource, timeout);
		this.timeoutSeconds = (int) Math.max(1, Math.min(Integer.MAX_VALUE, timeout.plusMillis(999).toSeconds()));
	}

	/**
	 * Take a lock that is free, over, ours, or the predecessor's.
	 */
	LockEntries.Answer acquire(LockAttempt attempt, String predecessor) throws SQLException {
		return call((entries) -> entries.acquire(attempt, predecessor));
	}

	Ownership renew(LockAttempt attempt, long token, Duration ttl) throws SQLException {
		return call((entries) -> entries.renew(attempt, token, ttl));
	}

	Ownership release(LockAttempt attempt, long token) throws SQLException {
		return call((entries) -> entries.release(attempt, token));
	}

	/**
	 * Release what an attempt may have been granted.
	 * @return whether there was an entry
	 */
	boolean abandon(LockAttempt attempt) throws SQLException {
		return call((entries) -> entries.abandon(attempt));
	}

	/**
	 * Delete rows whose lock was neither acquired nor held for a time.
	 * @return whether there may be more
	 */
	boolean deleteOld(Duration retention) throws SQLException {
		return call((entries) -> entries.deleteOld(retention));
	}

	/**
	 * Check that the table is there.
	 */
	void require() throws SQLException {
		call((entries) -> entries.contains(""));
	}

	/**
	 * Run a query that gives one text.
	 */
	Optional<String> ask(String query) throws SQLException {
		return call((entries) -> entries.ask(query));
	}

	/**
	 * Return the kind of database, if it has answered before.
	 */
	@Nullable LockDialect dialect() {
		LockStatements known = this.statements;
		return (known != null) ? known.dialect() : null;
	}

	private <T> T call(Work<T> work) throws SQLException {
		for (int tries = 1;; tries++) {
			try {
				return this.connections.call((connection) -> work
					.on(new LockEntries(connection, statements(connection), this.timeoutSeconds)));
			}
			catch (SQLException ex) {
				if (tries == MOST_TRIES || !LockFailure.isConcurrent(ex) || !pause(tries)) {
					throw ex;
				}
			}
		}
	}

	private LockStatements statements(Connection connection) throws SQLException {
		LockStatements known = this.statements;
		if (known == null) {
			known = LockStatements
				.of(LockDialect.of(Objects.requireNonNull(connection.getMetaData().getDatabaseProductName())));
			this.statements = known;
		}
		return known;
	}

	private static boolean pause(int tries) {
		try {
			Thread.sleep(ThreadLocalRandom.current().nextInt(tries + 1));
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@FunctionalInterface
	private interface Work<T> {

		T on(LockEntries entries) throws SQLException;

	}

}
