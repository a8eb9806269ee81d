package org.lockspring;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.lockspring.fencing.FencingToken;

/**
 * One acquisition of one lock. The lease, not a thread, owns the lock: any thread may ask
 * it, extend it and close it.
 * <p>
 * A lease can end at any instant without anybody noticing; {@link #isValid()} is true of
 * the past by the time the caller reads it. Only a resource that checks the
 * {@linkplain #fencingToken() fencing token} is protected from a holder that stalls right
 * after asking.
 *
 * @since 0.1.0
 */
public interface LockLease extends AutoCloseable {

	/**
	 * Return the key as the caller gave it.
	 * @return the key
	 */
	String key();

	/**
	 * Return the name under which the store and the guards know the lock: namespace and
	 * key, escaped.
	 * @return the full name
	 */
	String name();

	/**
	 * Return what the lock was acquired for.
	 * @return the mode
	 */
	LockMode mode();

	/**
	 * Return the token of this acquisition. Re-entry keeps it; it is never read again
	 * from the store.
	 * @return the token, never {@code null} in {@link LockMode#CORRECTNESS}, always
	 * {@code null} in {@link LockMode#EFFICIENCY}
	 */
	@Nullable FencingToken fencingToken();

	/**
	 * Return whether the lease is neither closed, nor known to be lost, nor past its
	 * deadline. Measured with the monotonic clock from before the request was sent, less
	 * an allowance for clock drift; no store is asked.
	 * @return whether the lock was held a moment ago
	 */
	boolean isValid();

	/**
	 * Return how long the lease stays valid if nothing else happens.
	 * @return zero if it is not valid
	 */
	Duration remaining();

	/**
	 * Ask the store to keep the lock for the given time from now. Never takes back a lock
	 * that has ended.
	 * @param ttl the new time to live, 10 ms to 24 h
	 * @throws LockLostException if the lock is no longer ours
	 * @throws LockUnavailableException if the store did not answer; the deadline is as
	 * before
	 * @throws IllegalStateException if the lease was closed
	 */
	void extend(Duration ttl);

	/**
	 * Release the lock. Does nothing if it was closed before; never releases a lock that
	 * has passed to another; does not throw if the store cannot be reached (the lock then
	 * ends with its ttl).
	 */
	@Override
	void close();

}
