package org.lockspring;

import org.jspecify.annotations.Nullable;

/**
 * The store or the guard did not answer, or refused to: who holds the lock is not known.
 * If it was thrown on acquisition, the body did not run.
 *
 * @since 0.1.0
 */
public class LockUnavailableException extends LockException {

	private final boolean retryable;

	/**
	 * Create an exception.
	 * @param message what happened, with the key and the remedy
	 * @param cause what the store's driver reported
	 * @param retryable whether the same call can succeed later without anybody changing
	 * the configuration
	 */
	public LockUnavailableException(String message, @Nullable Throwable cause, boolean retryable) {
		super(message, cause);
		this.retryable = retryable;
	}

	/**
	 * Return whether the same call can succeed later without anybody changing the
	 * configuration. Such a failure is retried within the wait time.
	 * @return {@code false} for missing rights, an entry of another type, a missing table
	 */
	public boolean isRetryable() {
		return this.retryable;
	}

}
