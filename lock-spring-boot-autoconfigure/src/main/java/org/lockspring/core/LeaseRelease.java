package org.lockspring.core;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;

/**
 * What becomes of the entry of a lease that is closed: the next in line takes it over, it
 * is kept for the rest of the shortest hold, or it is given back.
 */
final class LeaseRelease {

	private static final Log logger = LogFactory.getLog(LockTemplate.class);

	private final HeldLease lease;

	private final LeaseAcquirer origin;

	private final BackendLease entry;

	private final Turn turn;

	/** Until when the entry shall be there at least, on the monotonic clock. */
	private final long keepUntil;

	LeaseRelease(HeldLease lease, LeaseAcquirer origin, BackendLease entry, Turn turn, long keepUntil) {
		this.lease = lease;
		this.origin = origin;
		this.entry = entry;
		this.turn = turn;
		this.keepUntil = keepUntil;
	}

	/**
	 * Release. Waits for the store's answer in CORRECTNESS, and where there is a loss to
	 * explain.
	 * @param wasValid whether the lease was valid until now
	 * @return whose the entry was, as far as it is known
	 */
	Ownership run(boolean wasValid) {
		boolean quiet = this.lease.renewal().stop();
		boolean passedOn = false;
		try {
			boolean keep = left().toMillis() > 0;
			// A renewal that runs might shorten what the next holder gets
			passedOn = wasValid && !keep && quiet && this.origin.handOver(this.lease, this.entry, this.turn);
			return passedOn ? Ownership.HELD : giveBack(wasValid);
		}
		catch (LockUnavailableException ex) {
			logger.warn("Lock %s could not be released and ends with its ttl: %s".formatted(this.lease.description(),
					ex.getMessage()));
			return Ownership.HELD;
		}
		finally {
			if (!passedOn) {
				this.origin.leave(this.turn);
			}
		}
	}

	private Duration left() {
		return Duration.ofNanos(this.keepUntil - System.nanoTime());
	}

	private Ownership giveBack(boolean wasValid) {
		Duration left = left();
		if (left.toMillis() > 0) {
			Ownership ownership = this.lease.renewal().last(left);
			logger.debug("Lock %s is kept for another %s ms".formatted(this.lease.description(), left.toMillis()));
			return ownership;
		}
		CompletionStage<Ownership> answer = this.entry.release();
		if (this.lease.mode() == LockMode.CORRECTNESS || !wasValid || answer.toCompletableFuture().isDone()) {
			return join(answer);
		}
		this.origin.beginRelease();
		answer.whenComplete((ownership, ex) -> {
			try {
				answered(ownership, ex);
			}
			finally {
				this.origin.endRelease();
			}
		});
		return Ownership.HELD;
	}

	private void answered(Ownership ownership, @Nullable Throwable failure) {
		if (failure != null) {
			logger.warn("Lock %s could not be released and ends with its ttl: %s".formatted(this.lease.description(),
					failure));
		}
		else if (ownership != Ownership.HELD) {
			logger.warn(this.lease.foundLost(ownership).getMessage());
		}
	}

	/**
	 * Wait for the answer of a store.
	 */
	static <T> T join(CompletionStage<T> answer) {
		try {
			return answer.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof RuntimeException reason) {
				throw reason;
			}
			if (ex.getCause() instanceof Error reason) {
				throw reason;
			}
			throw ex;
		}
	}

}
