package org.lockspring.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import javax.sql.DataSource;

import org.lockspring.Acquisition;
import org.lockspring.Assumption;
import org.lockspring.BackendLease;
import org.lockspring.HandingOver;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;

/**
 * Locks in the table {@code lock_entry} of a relational database: PostgreSQL, MySQL,
 * MariaDB and H2.
 * <p>
 * One statement acquires, one releases, each on a connection of its own and as a
 * transaction of its own, also while the caller has one open. Only the database's clock
 * decides whether an entry is over. The token is a counter in the lock's own row, never
 * below that clock in microseconds: it rises as long as the row survives, <em>or</em> the
 * clock does not step back behind the row's last use.
 * <p>
 * The data source must give at least two connections at a time if callers have
 * transactions on it too, and must not enlist its connections in the caller's JTA
 * transaction.
 *
 * @since 0.1.0
 */
public final class JdbcLockBackend implements LockBackend, HandingOver, AutoCloseable {

	private final LockTable table;

	private final LockHousekeeping housekeeping;

	/**
	 * Create a backend. Does not connect.
	 * @param dataSource the database
	 * @param retention how long the row of a lock outlives its last use, above zero. A
	 * token of a later use is larger unless the database's clock stepped back by more
	 * than that
	 * @param timeout how long one statement may take, above zero, rounded up to seconds
	 */
	public JdbcLockBackend(DataSource dataSource, Duration retention, Duration timeout) {
		requirePositive("lock.jdbc.retention", retention, "7d");
		requirePositive("lock.jdbc.timeout", timeout, "5s");
		this.table = new LockTable(dataSource, timeout);
		this.housekeeping = new LockHousekeeping(this.table, retention);
	}

	private static void requirePositive(String property, Duration value, String example) {
		if (value.isNegative() || value.isZero()) {
			throw new InvalidLockDefinitionException(property, value + " is not above zero",
					"Set it for example to " + example);
		}
	}

	@Override
	public String name() {
		return "jdbc";
	}

	@Override
	public boolean supports(LockMode mode) {
		return true;
	}

	@Override
	public Acquisition tryAcquire(LockAttempt attempt) {
		return acquire(attempt, attempt.owner());
	}

	@Override
	public CompletionStage<Acquisition> handOver(BackendLease from, LockAttempt attempt) {
		try {
			return CompletableFuture.completedFuture(acquire(attempt, ((JdbcLease) from).owner()));
		}
		catch (LockUnavailableException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private Acquisition acquire(LockAttempt attempt, String predecessor) {
		this.housekeeping.begin();
		long sentAt = System.nanoTime();
		try {
			LockEntries.Answer answer = this.table.acquire(attempt, predecessor);
			if (answer.granted()) {
				return new Acquisition.Granted(new JdbcLease(this.table, attempt, answer.token(), sentAt));
			}
			return new Acquisition.Busy((answer.left() > 0) ? Duration.ofNanos(answer.left() * 1000) : null);
		}
		catch (SQLException ex) {
			if (!LockFailure.isAnswered(ex)) {
				this.housekeeping.abandon(attempt);
			}
			throw LockFailure.translate(ex, "Lock " + attempt.description() + " could not be acquired",
					this.table.dialect());
		}
	}

	/**
	 * Check that the table is there.
	 * @throws LockUnavailableException if it is not, or cannot be used, or the database
	 * does not answer
	 */
	public void requireTable() {
		try {
			this.table.require();
		}
		catch (SQLException ex) {
			throw LockFailure.translate(ex, "Locks cannot be used", this.table.dialect());
		}
	}

	@Override
	public List<Assumption> assumptions(LockMode mode) {
		return new JdbcAssumptions(this.table).of(mode);
	}

	/**
	 * Stop cleaning up. Waits up to 1 s for what is under way.
	 */
	@Override
	public void close() {
		this.housekeeping.close();
	}

	/**
	 * Return what is done in the background.
	 */
	LockHousekeeping housekeeping() {
		return this.housekeeping;
	}

}
