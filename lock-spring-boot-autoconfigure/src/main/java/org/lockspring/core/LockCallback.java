package org.lockspring.core;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockLease;

/**
 * What runs while a lock is held.
 *
 * @param <T> the result
 * @param <E> what the body throws; it reaches the caller unchanged
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Run while the lock is held.
	 * @param lease the lease; released by the caller
	 * @return the result
	 * @throws E as the body likes
	 */
	T doWithLock(LockLease lease) throws E;

}
