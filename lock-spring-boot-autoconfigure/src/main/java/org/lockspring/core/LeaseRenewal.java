package org.lockspring.core;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.BatchRenewal;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;

/**
 * When one lease is to be renewed, and what comes of it. After a third of the time to
 * live; again soon if the store did not answer, as long as the lease is valid; no longer
 * than the longest hold.
 */
final class LeaseRenewal {

	private static final Log logger = LogFactory.getLog(LockTemplate.class);

	private final HeldLease lease;

	private final BackendLease entry;

	private final LockRequest request;

	private final String acquiredBy = Thread.currentThread().getName();

	private final long endsAt;

	private final Duration maxHold;

	private final ReentrantLock monitor = new ReentrantLock();

	private final Condition idle = this.monitor.newCondition();

	private volatile Duration ttl;

	private volatile boolean active;

	private volatile long dueAt;

	private volatile boolean underWay;

	LeaseRenewal(HeldLease lease, BackendLease entry, LockRequest request, Duration maxHold) {
		this.lease = lease;
		this.entry = entry;
		this.request = request;
		this.maxHold = maxHold;
		this.ttl = Objects.requireNonNull(request.ttl());
		this.active = request.autoRenew();
		long now = System.nanoTime();
		this.endsAt = now + maxHold.toNanos();
		this.dueAt = now + this.ttl.toNanos() / 3;
	}

	/**
	 * When the lease has to be looked at again, on the monotonic clock.
	 */
	long dueAt() {
		if (!this.active) {
			return this.entry.validUntil();
		}
		return this.underWay ? System.nanoTime() + retryPause() : this.dueAt;
	}

	boolean isDue(long now) {
		return this.active && !this.underWay && now - this.dueAt >= 0;
	}

	private long retryPause() {
		return this.ttl.toNanos() / 20;
	}

	/**
	 * Begin a renewal if one is due, or will be soon: those that were acquired one after
	 * the other are renewed together from then on.
	 * @param now the monotonic clock
	 * @return whether {@link #run()} or {@link #ended} has to follow
	 */
	boolean begin(long now) {
		if (!isDue(now + this.ttl.toNanos() / 6)) {
			return false;
		}
		if (now - this.endsAt >= 0) {
			this.active = false;
			logger.warn("Lock %s is held for %s by thread '%s' and is not renewed any longer (lock.renewal.max-hold)"
				.formatted(this.request.description(), this.maxHold, this.acquiredBy));
			return false;
		}
		this.monitor.lock();
		try {
			if (this.underWay || this.lease.isClosed()) {
				return false;
			}
			this.underWay = true;
			return true;
		}
		finally {
			this.monitor.unlock();
		}
	}

	void run() {
		try {
			ended(new BatchRenewal.Outcome.Answered(this.entry.renew(this.ttl)));
		}
		catch (RuntimeException ex) {
			failed(ex);
		}
	}

	void failed(RuntimeException ex) {
		ended(new BatchRenewal.Outcome.Failed((ex instanceof LockUnavailableException unavailable) ? unavailable
				: new LockUnavailableException("The renewal failed", ex, true)));
	}

	void ended(BatchRenewal.Outcome outcome) {
		if (outcome instanceof BatchRenewal.Outcome.Answered answered) {
			this.dueAt = System.nanoTime() + this.ttl.toNanos() / 3;
			if (answered.ownership() != Ownership.HELD) {
				this.lease.lose(answered.ownership());
			}
		}
		else if (outcome instanceof BatchRenewal.Outcome.Failed failed) {
			this.dueAt = System.nanoTime() + retryPause();
			logger.debug("Lock %s could not be renewed yet: %s".formatted(this.request.description(),
					failed.reason().getMessage()));
		}
		this.monitor.lock();
		try {
			this.underWay = false;
			this.idle.signalAll();
		}
		finally {
			this.monitor.unlock();
		}
	}

	BatchRenewal.Renewal entry() {
		return new BatchRenewal.Renewal(this.entry, this.ttl);
	}

	@Nullable BatchRenewal batching() {
		return this.lease.batchRenewal();
	}

	/**
	 * Give the lease another time to live, from now on.
	 */
	Ownership extend(Duration ttl) {
		this.ttl = ttl;
		awaitIdle();
		Ownership ownership = this.entry.renew(ttl);
		if (ownership == Ownership.HELD) {
			this.dueAt = System.nanoTime() + ttl.toNanos() / 3;
		}
		return ownership;
	}

	/**
	 * Set the time to live for the last time: not before a renewal that is under way has
	 * ended, which would set it longer.
	 */
	Ownership last(Duration left) {
		this.active = false;
		awaitIdle();
		return this.entry.renew(left);
	}

	private void awaitIdle() {
		this.monitor.lock();
		try {
			while (this.underWay) {
				this.idle.awaitUninterruptibly();
			}
		}
		finally {
			this.monitor.unlock();
		}
	}

}
