package org.lockspring;

import org.jspecify.annotations.Nullable;

/**
 * Base of the outcomes that a caller of a lock may want to tell apart.
 *
 * @since 0.1.0
 */
public abstract class LockException extends RuntimeException {

	protected LockException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
