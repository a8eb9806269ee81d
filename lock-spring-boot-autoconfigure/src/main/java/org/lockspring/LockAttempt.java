package org.lockspring;

import java.time.Duration;

/**
 * One try to take a lock, as a backend sees it.
 *
 * @param name the lock's full name, as stored: printable, at most 256 bytes of UTF-8,
 * with exactly one part in braces (a hash tag for stores that shard)
 * @param owner the identity of this acquisition, unique among all processes, made before
 * the first request
 * @param mode what is at stake
 * @param ttl how long the entry lives if nobody renews or releases it
 * @param description how to call the lock in a message: its key and who asks
 * @since 0.1.0
 */
public record LockAttempt(String name, String owner, LockMode mode, Duration ttl, String description) {

}
