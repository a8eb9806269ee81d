package org.lockspring.faults.history;

import org.jspecify.annotations.Nullable;

/**
 * One write that a resource accepted, as the resource itself remembers it.
 *
 * @param key what was written
 * @param operation by which operation
 * @param token with which token, if any
 * @param was the value that the operation had read
 * @param became the value that it wrote
 */
public record Accepted(String key, String operation, @Nullable Long token, long was, long became) {

}
