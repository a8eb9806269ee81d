package org.lockspring.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.FencingToken;

/**
 * A row of our own. Every statement compares the owner and the token.
 */
final class JdbcLease implements BackendLease {

	private final LockTable table;

	private final LockAttempt attempt;

	private final long token;

	private final ReentrantLock renewal = new ReentrantLock();

	private volatile long validUntil;

	JdbcLease(LockTable table, LockAttempt attempt, long token, long sentAt) {
		this.table = table;
		this.attempt = attempt;
		this.token = token;
		this.validUntil = validUntil(sentAt, attempt.ttl());
	}

	/**
	 * The database's clock may run faster than ours by a hundredth.
	 */
	private static long validUntil(long sentAt, Duration ttl) {
		long nanos = ttl.toNanos();
		return sentAt + nanos - nanos / 100 - Duration.ofMillis(2).toNanos();
	}

	String owner() {
		return this.attempt.owner();
	}

	@Override
	public @Nullable FencingToken fencingToken() {
		return (this.attempt.mode() == LockMode.CORRECTNESS) ? new FencingToken(this.token, owner()) : null;
	}

	@Override
	public long validUntil() {
		return this.validUntil;
	}

	@Override
	public Ownership renew(Duration ttl) {
		// One at a time: two on different connections could overtake each other
		this.renewal.lock();
		try {
			long sentAt = System.nanoTime();
			Ownership ownership = this.table.renew(this.attempt, this.token, ttl);
			if (ownership == Ownership.HELD) {
				this.validUntil = validUntil(sentAt, ttl);
			}
			return ownership;
		}
		catch (SQLException ex) {
			throw failure(ex, "could not be extended");
		}
		finally {
			this.renewal.unlock();
		}
	}

	@Override
	public CompletionStage<Ownership> release() {
		try {
			return CompletableFuture.completedFuture(this.table.release(this.attempt, this.token));
		}
		catch (SQLException ex) {
			return CompletableFuture.failedFuture(failure(ex, "could not be released"));
		}
	}

	private LockUnavailableException failure(SQLException ex, String what) {
		return LockFailure.translate(ex, "Lock " + this.attempt.description() + " " + what, this.table.dialect());
	}

}
