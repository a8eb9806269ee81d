package org.lockspring;

import org.jspecify.annotations.Nullable;

/**
 * The lock is held elsewhere and was not obtained within the wait time. The body did not
 * run.
 *
 * @since 0.1.0
 */
public class LockNotAcquiredException extends LockException {

	/**
	 * Create an exception.
	 * @param message what happened, with the key
	 */
	public LockNotAcquiredException(String message) {
		this(message, null);
	}

	/**
	 * Create an exception.
	 * @param message what happened, with the key
	 * @param cause why waiting ended, if it did so early
	 */
	public LockNotAcquiredException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
