package org.lockspring.jdbc;

import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockUnavailableException;

/**
 * What a failed statement on the table of locks means.
 */
final class LockFailure {

	/**
	 * There was no connection to send anything on.
	 */
	static final String NOT_CONNECTED = "08001";

	// PostgreSQL; MySQL, MariaDB, H2; H2 without any table
	private static final Set<String> MISSING_TABLE = Set.of("42P01", "42S02", "42S04");

	private static final Set<String> MISSING_COLUMN = Set.of("42703", "42S22");

	private static final Set<String> NO_RIGHTS = Set.of("42501", "90096");

	private static final String NO_LOGIN = "28";

	// MySQL and MariaDB: waited too long for a row, the row has changed; Oracle:
	// deadlock,
	// cannot serialize
	private static final Set<Integer> CONCURRENT = Set.of(1205, 1020, 60, 8177);

	private static final Set<Integer> MYSQL_NO_RIGHTS = Set.of(1044, 1142, 1143);

	// Data, integrity, transaction state, rollback, syntax and rights, not now
	private static final Set<String> ANSWERS = Set.of("22", "23", "25", "40", "42", "55");

	private static final String POSTGRESQL_CANCELLED = "57014";

	private LockFailure() {
	}

	/**
	 * Return whether the database gave way to another statement and has done nothing: a
	 * deadlock, a serialization failure, or two who insert the same row.
	 */
	static boolean isConcurrent(SQLException ex) {
		String state = Objects.requireNonNullElse(ex.getSQLState(), "");
		return state.startsWith("40") || state.startsWith("23") || CONCURRENT.contains(ex.getErrorCode());
	}

	/**
	 * Return whether the database has certainly done nothing, so that nothing has to be
	 * given back.
	 */
	static boolean isAnswered(SQLException ex) {
		String state = ex.getSQLState();
		return state != null && state.length() == 5 && (ANSWERS.contains(state.substring(0, 2))
				|| state.equals(POSTGRESQL_CANCELLED) || state.equals(NOT_CONNECTED));
	}

	/**
	 * Translate.
	 * @param ex what the driver reported
	 * @param what what was tried, a clause that names the lock
	 * @param dialect the database; {@code null} if it was not reached yet
	 * @return the exception to throw
	 */
	static LockUnavailableException translate(SQLException ex, String what, @Nullable LockDialect dialect) {
		if (dialect != null && hasState(ex, MISSING_TABLE)) {
			return missingTable(ex, what, dialect);
		}
		if (hasState(ex, NO_RIGHTS) || MYSQL_NO_RIGHTS.contains(ex.getErrorCode())) {
			return new LockUnavailableException(
					"%s: %s. Grant SELECT, INSERT, UPDATE and DELETE on the table lock_entry to the database's user"
						.formatted(what, ex.getMessage()),
					ex, false);
		}
		for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
			if (cause instanceof SQLException sql && sql.getSQLState() != null
					&& sql.getSQLState().startsWith(NO_LOGIN)) {
				return new LockUnavailableException(
						"%s: %s. Set spring.datasource.username and .password".formatted(what, sql.getMessage()), ex,
						false);
			}
		}
		return new LockUnavailableException(
				"%s: the database did not serve the table lock_entry: %s. Check spring.datasource.* and the server"
					.formatted(what, ex.getMessage()),
				ex, !hasState(ex, MISSING_COLUMN));
	}

	private static LockUnavailableException missingTable(SQLException ex, String what, LockDialect dialect) {
		return new LockUnavailableException(
				"%s: the table lock_entry is missing. Set lock.jdbc.initialize-schema=always, or run: %s"
					.formatted(what, dialect.createStatement()),
				ex, false);
	}

	private static boolean hasState(SQLException ex, Set<String> states) {
		return ex.getSQLState() != null && states.contains(ex.getSQLState());
	}

}
