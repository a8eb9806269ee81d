package org.lockspring.core;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.CurrentLock;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;

/**
 * Runs bodies under leases that were obtained, and leaves the leases when they end. The
 * last one to leave releases, unless a participant keeps the lock.
 */
final class LockedBodies {

	private static final Log logger = LogFactory.getLog(LockTemplate.class);

	private final List<LeaseParticipant> participants;

	LockedBodies(List<LeaseParticipant> participants) {
		this.participants = participants;
	}

	<T extends @Nullable Object, E extends Throwable> T run(HeldLease lease, LockCallback<T, E> callback) throws E {
		T result;
		try {
			result = call(lease, callback);
		}
		catch (Throwable ex) {
			leaveAfter(lease, ex);
			throw ex;
		}
		leaveOrThrow(lease);
		return result;
	}

	/**
	 * Run a body with the lease bound to this thread, and leave the lease to the caller.
	 */
	<T extends @Nullable Object, E extends Throwable> T call(HeldLease lease, LockCallback<T, E> callback) throws E {
		return CurrentLock.with(lease, () -> callInterruptibly(lease, callback));
	}

	private static <T extends @Nullable Object, E extends Throwable> T callInterruptibly(HeldLease lease,
			LockCallback<T, E> callback) throws E {
		lease.interrupt().begin();
		try {
			return callback.doWithLock(lease);
		}
		finally {
			lease.interrupt().end();
		}
	}

	/**
	 * Leave a lease whose body failed: its failure wins.
	 */
	@SuppressWarnings("ReferenceEquality") // an exception cannot suppress itself
	void leaveAfter(HeldLease lease, Throwable failure) {
		LockLostException lost = leave(lease);
		// What made the lease lost is the cause of "lost" already
		if (lost != null && failure != lost && failure != lost.getCause()) {
			failure.addSuppressed(lost);
		}
	}

	/**
	 * Leave a lease whose body came to its end.
	 * @throws LockLostException if that end is worth nothing
	 */
	void leaveOrThrow(HeldLease lease) {
		LockLostException lost = leave(lease);
		if (lost != null && lease.mode() == LockMode.CORRECTNESS && !lease.isVouched()) {
			throw lost;
		}
		warn(lost);
	}

	/**
	 * Leave a lease whose body was cancelled.
	 */
	void leaveCancelled(HeldLease lease) {
		warn(leave(lease));
	}

	private @Nullable LockLostException leave(HeldLease lease) {
		if (!lease.leaveUnlessLast()) {
			return lease.lostAtClose();
		}
		for (LeaseParticipant participant : this.participants) {
			if (participant.keep(lease, () -> warn(end(lease)))) {
				return null;
			}
		}
		return end(lease);
	}

	private static @Nullable LockLostException end(HeldLease lease) {
		return lease.leave() ? lease.release() : lease.lostAtClose();
	}

	private static void warn(@Nullable LockLostException lost) {
		if (lost != null) {
			logger.warn(lost.getMessage());
		}
	}

}
