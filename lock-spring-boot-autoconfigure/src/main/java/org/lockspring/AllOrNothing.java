package org.lockspring;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An optional ability of a {@link LockBackend}: take several locks in one atomic step, so
 * that nobody holds some of them while waiting for the others. Part of the SPI.
 *
 * @since 0.1.0
 */
public interface AllOrNothing {

	/**
	 * Return whether locks can be taken together, as far as it is known without asking
	 * the store.
	 * @param names the full names
	 * @return {@code false} if it would be in vain to try
	 */
	boolean canTakeTogether(Collection<String> names);

	/**
	 * Try once to take all of several locks, without waiting for their holders. If one of
	 * them is busy, none is changed.
	 * <p>
	 * Idempotent for the same owners, as {@link LockBackend#tryAcquire}. If the outcome
	 * is not known, all are given back.
	 * @param attempts what to take, each of another name and with an owner of its own
	 * @return all, or which one is busy; {@code null} if the store cannot take these
	 * together, and nothing was changed
	 * @throws LockUnavailableException if the store did not answer or refused
	 */
	@Nullable Answer tryAcquireAll(List<LockAttempt> attempts);

	/**
	 * What became of all attempts.
	 */
	sealed interface Answer {

		/**
		 * All locks are ours.
		 *
		 * @param leases the entries, in the order of the attempts
		 */
		record AllGranted(List<BackendLease> leases) implements Answer {

		}

		/**
		 * Somebody else holds one of them; none was taken.
		 *
		 * @param index the place of its attempt
		 * @param retryAfter when the holder's entry ends if it is not renewed;
		 * {@code null} if the store cannot tell
		 */
		record OneBusy(int index, @Nullable Duration retryAfter) implements Answer {

		}

	}

}
