package org.lockspring;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.lockspring.fencing.FencingToken;

/**
 * An entry in a store, as the backend that made it sees it: storage only, no state of its
 * own beyond the deadline. Users hold a {@link LockLease}.
 *
 * @since 0.1.0
 */
public interface BackendLease {

	/**
	 * Return the token that was set together with the entry.
	 * @return never {@code null} in {@link LockMode#CORRECTNESS}
	 */
	@Nullable FencingToken fencingToken();

	/**
	 * Return until when the entry certainly lives, on the scale of
	 * {@link System#nanoTime()}: counted from before the latest successful request was
	 * sent, less an allowance for clock drift.
	 * @return a value of the monotonic clock
	 */
	long validUntil();

	/**
	 * Let the entry live for the given time from now, longer or shorter than before.
	 * Never creates an entry.
	 * @param ttl the new time to live
	 * @return {@link Ownership#HELD}, with a new {@link #validUntil()}, or why not
	 * @throws LockUnavailableException if the store did not answer or refused
	 */
	Ownership renew(Duration ttl);

	/**
	 * Remove the entry if it is still exactly this one. The request is sent before the
	 * method returns; the answer may come later.
	 * @return {@link Ownership#HELD} if this call removed it, or why it was not there;
	 * completed with {@link LockUnavailableException} if the store did not answer
	 */
	CompletionStage<Ownership> release();

	/**
	 * Whose an entry was when the store looked.
	 */
	enum Ownership {

		/**
		 * It was ours.
		 */
		HELD,

		/**
		 * There was none: it expired, or the store forgot it.
		 */
		EXPIRED,

		/**
		 * It was another's: ours ended and somebody acquired the lock.
		 */
		TAKEN

	}

}
