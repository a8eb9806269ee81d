package org.lockspring;

import org.jspecify.annotations.Nullable;

/**
 * There is no usable key: it is null, empty, or has no stable text form. No store was
 * called and the body did not run.
 *
 * @since 0.1.0
 */
public class LockKeyException extends LockException {

	/**
	 * Create an exception.
	 * @param message what is wrong with the key, and where it comes from
	 */
	public LockKeyException(String message) {
		this(message, null);
	}

	/**
	 * Create an exception.
	 * @param message what is wrong with the key, and where it comes from
	 * @param cause why the key could not be evaluated
	 */
	public LockKeyException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
