package org.lockspring.core;

import java.util.Collection;
import java.util.List;

/**
 * Takes part in the life of every lease.
 *
 * @since 0.1.0
 */
public interface LeaseParticipant {

	/**
	 * Called when a lock was obtained, before the body runs. An exception gives the lock
	 * back and reaches the caller.
	 * @param lease the new lease
	 */
	default void acquired(ManagedLease lease) {
	}

	/**
	 * Called when the last body under the lease has ended, or a manual lease is closed.
	 * Not called where a body closes its own lease, which ends it at once.
	 * @param lease the lease
	 * @param release releases the lock
	 * @return {@code true} if the participant keeps the lock and will call
	 * {@code release} itself
	 */
	default boolean keep(ManagedLease lease, Runnable release) {
		return false;
	}

	/**
	 * Return the leases that this participant keeps for the calling thread. The thread
	 * still holds them and can re-enter them.
	 * @return kept leases
	 */
	default Collection<ManagedLease> kept() {
		return List.of();
	}

}
