package org.lockspring;

import java.util.List;

/**
 * A store that can keep locks. Does storage only: waiting, renewing, re-entry and the
 * meaning of a loss are the same for every store and live in {@code core}.
 *
 * @since 0.1.0
 */
public interface LockBackend {

	/**
	 * Return the name by which properties and messages know the store.
	 * @return a lower-case word
	 */
	String name();

	/**
	 * Return whether the store can serve a mode. {@link LockMode#CORRECTNESS} needs a
	 * token that rises with every acquisition.
	 * @param mode the mode
	 * @return whether {@link #tryAcquire} accepts it
	 */
	boolean supports(LockMode mode);

	/**
	 * Try once to take the lock, without waiting for its holder.
	 * <p>
	 * Idempotent for one {@linkplain LockAttempt#owner() owner}: a request that the store
	 * sees twice is granted twice, with the same token. If the outcome is not known, the
	 * backend sees to it that a grant which nobody learned of is given back.
	 * @param attempt what to take, and the identity to take it with
	 * @return granted, or busy
	 * @throws LockUnavailableException if the store did not answer or refused
	 */
	Acquisition tryAcquire(LockAttempt attempt);

	/**
	 * Return what the promises of a mode rest on with this store. May ask the store, and
	 * reports what it could not learn as unchecked.
	 * @param mode the mode
	 * @return the assumptions, most important first
	 */
	List<Assumption> assumptions(LockMode mode);

}
