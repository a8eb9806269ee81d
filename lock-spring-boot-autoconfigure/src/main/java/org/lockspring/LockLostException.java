package org.lockspring;

import org.jspecify.annotations.Nullable;

/**
 * Ownership ended while the body ran: others may have run at the same time. Thrown in
 * {@link LockMode#CORRECTNESS} only, in place of the body's result or of a commit. Inside
 * a transaction it means that nothing was committed.
 *
 * @since 0.1.0
 */
public class LockLostException extends LockException {

	/**
	 * Create an exception.
	 * @param message what happened, with the key
	 */
	public LockLostException(String message) {
		this(message, null);
	}

	/**
	 * Create an exception.
	 * @param message what happened, with the key
	 * @param cause what told that the lease was lost, if anything did
	 */
	public LockLostException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
