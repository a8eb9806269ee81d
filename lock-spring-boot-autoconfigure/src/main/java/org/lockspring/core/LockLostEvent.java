package org.lockspring.core;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.fencing.FencingToken;

/**
 * Ownership of a lock ended while it was held. Published as soon as it is noticed, on a
 * thread of the library or of the store's client, or on the one that releases, once for a
 * lease; listeners must not block.
 *
 * @param key the key, as it was requested
 * @param name the full name
 * @param mode what is at stake
 * @param fencingToken the token of the lease; {@code null} in EFFICIENCY
 * @param caller who asked for the lock; empty if it was not said
 * @param reason what happened
 * @since 0.1.0
 */
public record LockLostEvent(String key, String name, LockMode mode, @Nullable FencingToken fencingToken, String caller,
		LockLostException reason) {

}
