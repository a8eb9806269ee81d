package org.lockspring.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Objects;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Connections on which every statement is a transaction of its own, whatever the caller
 * has open: what a lock's row says is visible to all at once, and no rollback undoes it.
 */
final class LockConnections {

	private final DataSource dataSource;

	private final Duration timeout;

	LockConnections(DataSource dataSource, Duration timeout) {
		this.dataSource = (dataSource instanceof TransactionAwareDataSourceProxy proxy)
				? Objects.requireNonNull(proxy.getTargetDataSource()) : dataSource;
		// After the statement's own, which leaves the connection alive
		this.timeout = timeout.plusSeconds(1);
	}

	<T> T call(Work<T> work) throws SQLException {
		try (Connection connection = open()) {
			boolean autoCommit = connection.getAutoCommit();
			int networkTimeout = limit(connection);
			try {
				if (!autoCommit) {
					connection.setAutoCommit(true);
				}
				return work.on(connection);
			}
			finally {
				restore(connection, autoCommit, networkTimeout);
			}
		}
	}

	/**
	 * The caller's transaction may be read-only, and a data source may choose a replica
	 * for such.
	 */
	private Connection open() throws SQLException {
		boolean readOnly = TransactionSynchronizationManager.isCurrentTransactionReadOnly();
		TransactionSynchronizationManager.setCurrentTransactionReadOnly(false);
		try {
			return this.dataSource.getConnection();
		}
		catch (SQLException | RuntimeException ex) {
			throw new SQLTransientConnectionException(ex.getMessage(), LockFailure.NOT_CONNECTED, ex);
		}
		finally {
			TransactionSynchronizationManager.setCurrentTransactionReadOnly(readOnly);
		}
	}

	/**
	 * A server that is stopped or out of reach does not even refuse.
	 * @return the time-out to restore; negative if it was not changed
	 */
	private int limit(Connection connection) throws SQLException {
		try {
			int before = connection.getNetworkTimeout();
			int wanted = (int) Math.min(this.timeout.toMillis(), Integer.MAX_VALUE);
			if (before > 0 && before <= wanted) {
				return -1;
			}
			connection.setNetworkTimeout(Runnable::run, wanted);
			return before;
		}
		catch (SQLFeatureNotSupportedException ex) {
			return -1;
		}
	}

	private static void restore(Connection connection, boolean autoCommit, int networkTimeout) {
		try {
			if (!autoCommit) {
				connection.setAutoCommit(false);
			}
			if (networkTimeout >= 0) {
				connection.setNetworkTimeout(Runnable::run, networkTimeout);
			}
		}
		catch (SQLException ex) {
			// It is broken, and the pool will see that
		}
	}

	@FunctionalInterface
	interface Work<T> {

		T on(Connection connection) throws SQLException;

	}

}
