package org.lockspring.faults.history;

import org.jspecify.annotations.Nullable;

/**
 * One lock that an operation held.
 *
 * @param key what was locked
 * @param token the fencing token, if the lock has any
 * @param valid whether the holder still believed to hold it at the end of its body; a
 * lease that was invalid once never becomes valid again
 */
public record Held(String key, @Nullable Long token, boolean valid) {

}
