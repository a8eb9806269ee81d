package org.lockspring.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.FencingGuard;
import org.lockspring.fencing.FencingToken;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Guards a database: remembers the newest token of every resource in the table
 * {@code lock_fence}, in the same transaction as the writes that it guards.
 * <p>
 * A claim joins the transaction that is open on the data source; its row lock keeps newer
 * claimers waiting until that transaction ends. Without one, or in a read-only one, it
 * runs in a short transaction of its own: it then only waits for what older holders have
 * still open, and remembers the token.
 * <p>
 * For PostgreSQL, MySQL, MariaDB and H2; for others as far as a duplicate key does not
 * end their transactions. JTA transactions are not joined.
 *
 * @since 0.1.0
 */
public final class JdbcFencingGuard implements FencingGuard {

	// PostgreSQL; MySQL, MariaDB, H2; H2 without any table
	private static final Set<String> MISSING_TABLE_STATES = Set.of("42P01", "42S02", "42S04");

	private static final String POSTGRESQL_LOCK_TIMEOUT = "55P03";

	private static final int MYSQL_LOCK_TIMEOUT = 1205;

	private static final long RETRY_PAUSE_MILLIS = 20;

	private final DataSource dataSource;

	private final String namespace;

	private final Duration claimTimeout;

	// A resource key of its own: nothing bound for the data source can get in its way
	private final DataSource ownDataSource;

	private final JdbcTransactionManager ownTransactions;

	private volatile @Nullable FenceDialect dialect;

	/**
	 * Create a guard. Does not connect.
	 * @param dataSource the database, the same object that its transaction manager has
	 * @param namespace where the tokens come from, for example the backend's name;
	 * printable ASCII, at most 64 characters. Tokens of another origin are refused
	 * @param claimTimeout how long a claim may wait for the transactions of older
	 * claimers, above zero; rounded up to seconds. The timeout of a joined transaction
	 * takes its place
	 */
	public JdbcFencingGuard(DataSource dataSource, String namespace, Duration claimTimeout) {
		if (!namespace.matches("[!-~]{1,64}")) {
			throw new InvalidLockDefinitionException("The namespace of the fencing guard",
					"'" + namespace + "' is not 1 to 64 characters of printable ASCII", "Use the name of a backend");
		}
		if (claimTimeout.isNegative() || claimTimeout.isZero()) {
			throw new InvalidLockDefinitionException("lock.fencing.claim-timeout", claimTimeout + " is not above zero",
					"Set it to the longest transaction under a lock, for example 10s");
		}
		this.dataSource = (dataSource instanceof TransactionAwareDataSourceProxy proxy)
				? Objects.requireNonNull(proxy.getTargetDataSource()) : dataSource;
		this.namespace = namespace;
		this.claimTimeout = claimTimeout;
		this.ownDataSource = new DelegatingDataSource(this.dataSource);
		this.ownTransactions = new JdbcTransactionManager(this.ownDataSource);
	}

	/**
	 * {@inheritDoc}
	 * @throws LockUnavailableException if the claim had to wait longer than the timeout,
	 * the database does not answer, or the table is missing
	 * @throws DataAccessException in a joined transaction, if the database has ended it:
	 * by a deadlock, or because it could not be serialised. Retry the whole transaction
	 */
	@Override
	public void claim(String resource, FencingToken token) {
		if (joinsCurrentTransaction()) {
			claimInCurrentTransaction(resource, token);
		}
		else {
			claimInOwnTransaction(resource, token);
		}
	}

	/**
	 * Return whether a transaction that can write is open on the data source.
	 */
	@Override
	public boolean joinsCurrentTransaction() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()
				|| TransactionSynchronizationManager.isCurrentTransactionReadOnly()
				|| !(TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder)) {
			return false;
		}
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			// In autocommit it is only used beside a transaction of another data source
			return !connection.getAutoCommit() && !connection.isReadOnly();
		}
		catch (SQLException ex) {
			return false;
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * Return the statement that creates the table in this database.
	 * @return SQL without a final semicolon
	 * @throws DataAccessException if the database does not answer
	 */
	public String createStatement() {
		return dialect(template(this.dataSource)).createStatement();
	}

	/**
	 * Check that the table is there.
	 * @throws LockUnavailableException if it is not, or cannot be used
	 * @throws DataAccessException if the database does not answer
	 */
	public void requireTable() {
		JdbcTemplate jdbc = template(this.dataSource);
		dialect(jdbc);
		try {
			jdbc.execute("SELECT resource, token, owner, namespace, updated_at FROM lock_fence WHERE 1 = 0");
		}
		catch (BadSqlGrammarException ex) {
			throw unusable(ex);
		}
	}

	private void claimInCurrentTransaction(String resource, FencingToken token) {
		JdbcTemplate jdbc = template(this.dataSource);
		try {
			new FenceTable(dialect(jdbc), this.namespace).claim(jdbc, resource, token, false);
		}
		catch (BadSqlGrammarException ex) {
			throw unusable(ex);
		}
		catch (QueryTimeoutException ex) {
			throw timedOut(resource, ex);
		}
	}

	private void claimInOwnTransaction(String resource, FencingToken token) {
		long deadline = System.nanoTime() + this.claimTimeout.toNanos();
		while (true) {
			try {
				ownTransaction(deadline - System.nanoTime()).executeWithoutResult((status) -> {
					JdbcTemplate jdbc = template(this.ownDataSource);
					new FenceTable(dialect(jdbc), this.namespace).claim(jdbc, resource, token, true);
				});
				return;
			}
			catch (BadSqlGrammarException ex) {
				throw unusable(ex);
			}
			catch (DataAccessException | TransactionException ex) {
				if (!isOverSoon(ex)) {
					throw new LockUnavailableException("The fencing guard's database did not take the claim of '%s': %s"
						.formatted(resource, ex.getMessage()), ex, true);
				}
				if (deadline - System.nanoTime() <= Duration.ofMillis(RETRY_PAUSE_MILLIS).toNanos()) {
					throw timedOut(resource, ex);
				}
				pause(resource, ex);
			}
		}
	}

	/**
	 * Return whether the database gave up waiting for another claimer, or sacrificed one
	 * of several: nothing was remembered.
	 */
	private static boolean isOverSoon(Exception ex) {
		return ex instanceof TransientDataAccessException || ex instanceof TransactionTimedOutException
				|| (ex.getCause() instanceof SQLException cause && (POSTGRESQL_LOCK_TIMEOUT.equals(cause.getSQLState())
						|| cause.getErrorCode() == MYSQL_LOCK_TIMEOUT));
	}

	private TransactionTemplate ownTransaction(long nanosLeft) {
		TransactionTemplate transaction = new TransactionTemplate(this.ownTransactions);
		transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		transaction.setTimeout(seconds(Duration.ofNanos(nanosLeft)));
		return transaction;
	}

	private JdbcTemplate template(DataSource target) {
		JdbcTemplate jdbc = new JdbcTemplate(target);
		jdbc.setQueryTimeout(seconds(this.claimTimeout));
		return jdbc;
	}

	private static int seconds(Duration duration) {
		return (int) Math.max(1, Math.min(Integer.MAX_VALUE, duration.plusMillis(999).toSeconds()));
	}

	private FenceDialect dialect(JdbcTemplate jdbc) {
		FenceDialect known = this.dialect;
		if (known == null) {
			String product = jdbc.execute(
					(ConnectionCallback<String>) (connection) -> connection.getMetaData().getDatabaseProductName());
			known = FenceDialect.of(Objects.requireNonNullElse(product, ""));
			this.dialect = known;
		}
		return known;
	}

	private LockUnavailableException unusable(BadSqlGrammarException ex) {
		String state = (ex.getCause() instanceof SQLException cause) ? cause.getSQLState() : "";
		String what = MISSING_TABLE_STATES.contains(state) ? "is missing" : "cannot be used: " + ex.getMessage();
		String create = Objects.requireNonNull(this.dialect).createStatement();
		return new LockUnavailableException(
				("The table lock_fence, which remembers fencing tokens, %s. "
						+ "Set lock.fencing.jdbc.initialize-schema=always, or run: %s")
					.formatted(what, create),
				ex, false);
	}

	private LockUnavailableException timedOut(String resource, Exception cause) {
		return new LockUnavailableException(
				"'%s' could not be claimed within %d ms: a transaction of an older holder is still open"
					.formatted(resource, this.claimTimeout.toMillis()),
				cause, true);
	}

	private static void pause(String resource, Exception cause) {
		try {
			Thread.sleep(RETRY_PAUSE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockUnavailableException("Interrupted while claiming '" + resource + "'", cause, true);
		}
	}

}
