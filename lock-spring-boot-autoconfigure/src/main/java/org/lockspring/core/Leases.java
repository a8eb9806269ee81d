package org.lockspring.core;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.lockspring.CurrentLock;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;

/**
 * Obtains leases for a call chain: one that it holds already is re-entered, any other is
 * acquired. They are bound to no thread, and have to be left.
 */
final class Leases {

	private final LeaseAcquirer acquirer;

	private final LockSettings settings;

	private final List<LeaseParticipant> participants;

	private volatile boolean granting = true;

	Leases(LeaseAcquirer acquirer, LockSettings settings, List<LeaseParticipant> participants) {
		this.acquirer = acquirer;
		this.settings = settings;
		this.participants = participants;
	}

	/**
	 * Grant locks or not. Without, a body that holds one may still take others, to end
	 * well. Who begins to grant may be a process that was restored from a snapshot.
	 */
	void grant(boolean granting) {
		if (granting) {
			this.acquirer.renewOwners();
		}
		this.granting = granting;
	}

	boolean isGranting() {
		return this.granting;
	}

	HeldLease obtain(LockRequest request) {
		HeldLease held = reenter(request);
		if (held != null) {
			return held;
		}
		requireGranting(request);
		HeldLease lease = this.acquirer.acquire(this.settings.complete(request));
		try {
			tellParticipants(lease);
			return lease;
		}
		catch (Throwable ex) {
			lease.discard();
			throw ex;
		}
	}

	/**
	 * Obtain leases that this call chain does not hold, all or none.
	 * @param requests of different keys, in the order of their keys
	 */
	List<HeldLease> obtainNew(List<LockRequest> requests) {
		requireGranting(requests.get(0));
		List<HeldLease> leases = this.acquirer.acquireAll(requests.stream().map(this.settings::complete).toList());
		try {
			leases.forEach(this::tellParticipants);
			return leases;
		}
		catch (Throwable ex) {
			leases.forEach(HeldLease::discard);
			throw ex;
		}
	}

	private void requireGranting(LockRequest request) {
		if (!this.granting && CurrentLock.leases().isEmpty()) {
			throw new LockUnavailableException(
					"Lock " + request.description() + " is not acquired: the application is shutting down", null,
					false);
		}
	}

	private void tellParticipants(HeldLease lease) {
		for (LeaseParticipant participant : this.participants) {
			participant.acquired(lease);
		}
	}

	/**
	 * Enter a lease that this call chain holds, or that is kept for it.
	 * @return {@code null} if there is none
	 */
	@Nullable HeldLease reenter(LockRequest request) {
		HeldLease held = find(request.key(), CurrentLock.leases());
		for (LeaseParticipant participant : this.participants) {
			held = (held != null) ? held : find(request.key(), participant.kept());
		}
		return (held != null) ? reenter(request, held) : null;
	}

	private @Nullable HeldLease find(String key, Collection<? extends LockLease> leases) {
		for (LockLease lease : leases) {
			LockLease candidate = (lease instanceof LeaseHandle handle) ? handle.lease() : lease;
			if (candidate instanceof HeldLease held && held.isFrom(this.acquirer) && held.key().equals(key)) {
				return held;
			}
		}
		return null;
	}

	private static @Nullable HeldLease reenter(LockRequest request, HeldLease held) {
		if (request.mode() == LockMode.CORRECTNESS && held.mode() == LockMode.EFFICIENCY) {
			throw new InvalidLockDefinitionException("Lock " + request.description(),
					"CORRECTNESS was asked for while this call holds it for EFFICIENCY, without a fencing token",
					"Acquire the outer lock with mode = CORRECTNESS");
		}
		if (!held.isValid()) {
			if (held.mode() == LockMode.CORRECTNESS) {
				throw new LockLostException("Lock " + request.description() + " cannot be re-entered: it was lost");
			}
			return null;
		}
		return held.enter() ? held : null;
	}

}
