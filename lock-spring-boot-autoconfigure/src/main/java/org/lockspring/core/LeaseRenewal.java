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

	/** Whether it is planned or runs, for who does not have the monitor. */
	private volatile boolean underWay;

	private Step step = Step.IDLE;

	private boolean stopped;

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
		return (this.active && !this.underWay) ? this.dueAt : this.entry.validUntil();
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
	 * @return whether {@link #run()}, {@link #start()} or {@link #failed} has to follow
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
		return step(Step.IDLE, Step.PLANNED);
	}

	/**
	 * Start the renewal that was planned, unless it is not wanted any longer.
	 * @return whether {@link #ended} has to follow
	 */
	boolean start() {
		return step(Step.PLANNED, Step.RUNNING);
	}

	private boolean step(Step from, Step to) {
		this.monitor.lock();
		try {
			if (this.step != from || this.stopped) {
				return false;
			}
			set(to);
			return true;
		}
		finally {
			this.monitor.unlock();
		}
	}

	private void set(Step step) {
		this.step = step;
		this.underWay = step != Step.IDLE;
		this.idle.signalAll();
	}

	void run() {
		if (start()) {
			try {
				ended(new BatchRenewal.Outcome.Answered(this.entry.renew(this.ttl)));
			}
			catch (RuntimeException | Error ex) {
				failed(ex);
			}
		}
	}

	void failed(Throwable ex) {
		ended(new BatchRenewal.Outcome.Failed((ex instanceof LockUnavailableException unavailable) ? unavailable
				: new LockUnavailableException("The renewal failed", ex, true)));
	}

	void ended(BatchRenewal.Outcome outcome) {
		try {
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
		}
		finally {
			idle();
		}
	}

	private void idle() {
		this.monitor.lock();
		try {
			set(Step.IDLE);
		}
		finally {
			this.monitor.unlock();
		}
		this.lease.renewalChanged();
	}

	BatchRenewal.Renewal entry() {
		return new BatchRenewal.Renewal(this.entry, this.ttl);
	}

	@Nullable BatchRenewal batching() {
		return this.lease.batchRenewal();
	}

	/**
	 * Give the lease another time to live, from now on.
	 * @return {@code null} if the lease was closed before that
	 */
	@Nullable Ownership extend(Duration ttl) {
		if (!claim()) {
			return null;
		}
		try {
			Ownership ownership = this.entry.renew(ttl);
			if (ownership == Ownership.HELD) {
				this.ttl = ttl;
				this.dueAt = System.nanoTime() + ttl.toNanos() / 3;
			}
			return ownership;
		}
		finally {
			idle();
		}
	}

	/**
	 * Start no renewal from now on. One that runs is not waited for: the store compares,
	 * so that it can only find the entry gone.
	 * @return whether none runs
	 */
	boolean stop() {
		this.monitor.lock();
		try {
			this.stopped = true;
			this.active = false;
			return this.step != Step.RUNNING;
		}
		finally {
			this.monitor.unlock();
		}
	}

	/**
	 * Set the time to live for the last time, after {@link #stop()}: not before a renewal
	 * that runs has ended, which would set it longer.
	 */
	Ownership last(Duration left) {
		this.monitor.lock();
		try {
			while (this.step == Step.RUNNING) {
				this.idle.awaitUninterruptibly();
			}
		}
		finally {
			this.monitor.unlock();
		}
		return this.entry.renew(left);
	}

	/** One that is planned is not needed after this; one that runs might set the ttl. */
	private boolean claim() {
		this.monitor.lock();
		try {
			while (this.step == Step.RUNNING && !this.stopped) {
				this.idle.awaitUninterruptibly();
			}
			if (this.stopped) {
				return false;
			}
			set(Step.RUNNING);
			return true;
		}
		finally {
			this.monitor.unlock();
		}
	}

	private enum Step {

		IDLE, PLANNED, RUNNING

	}

}
