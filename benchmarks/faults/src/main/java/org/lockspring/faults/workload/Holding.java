package org.lockspring.faults.workload;

import org.jspecify.annotations.Nullable;

/**
 * The locks that a body runs under.
 */
public interface Holding {

	/**
	 * Return the fencing token of a lock.
	 * @param key its key
	 * @return the token, if the lock has any
	 */
	@Nullable Long token(String key);

	/**
	 * Return whether the holder believes to hold a lock.
	 * @param key its key
	 * @return {@code true} also if the lock cannot tell
	 */
	boolean isValid(String key);

}
