package org.lockspring;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A store's answer to one try.
 *
 * @since 0.1.0
 */
public sealed interface Acquisition {

	/**
	 * The lock is ours.
	 *
	 * @param lease the entry in the store
	 */
	record Granted(BackendLease lease) implements Acquisition {

	}

	/**
	 * Somebody else holds the lock.
	 *
	 * @param retryAfter when the holder's entry ends if it is not renewed; {@code null}
	 * if the store cannot tell
	 */
	record Busy(@Nullable Duration retryAfter) implements Acquisition {

	}

}
