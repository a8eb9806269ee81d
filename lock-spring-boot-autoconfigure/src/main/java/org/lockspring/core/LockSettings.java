package org.lockspring.core;

import java.time.Duration;

import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockRequest;

/**
 * What a request leaves open, and how leases live.
 *
 * @param namespace what keeps the keys of one application apart from another's in the
 * same store; not empty, at most 100 characters
 * @param ttl the time to live of a request without one, 10 ms to 24 h
 * @param waitTime the wait time of a request without one, up to 24 h
 * @param maxHold how long a lease is renewed, counted from its acquisition
 * @param onLoss what happens to a body when its lock is lost
 * @param handOver how long this process may keep a lock among its own threads
 * @param onUnavailable what happens to a body in EFFICIENCY when the store does not
 * answer
 * @since 0.1.0
 */
public record LockSettings(String namespace, Duration ttl, Duration waitTime, Duration maxHold, OnLoss onLoss,
		HandOverLimits handOver, OnUnavailable onUnavailable) {

	/**
	 * Create settings.
	 * @throws InvalidLockDefinitionException if a value is out of its range
	 */
	public LockSettings {
		if (namespace.isBlank() || namespace.length() > 100) {
			throw new InvalidLockDefinitionException("lock.namespace", "'" + namespace + "' is blank or too long",
					"Set it to 1 to 100 characters, for example the application's name");
		}
		try {
			LockRequest.of("settings").withTtl(ttl).withWaitTime(waitTime);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockDefinitionException("lock.ttl and lock.wait-time", String.valueOf(ex.getMessage()),
					"lock.ttl takes 10ms to 24h, lock.wait-time 0s to 24h", ex);
		}
		if (maxHold.compareTo(ttl) < 0) {
			throw new InvalidLockDefinitionException("lock.renewal.max-hold",
					"%s is shorter than lock.ttl %s".formatted(maxHold, ttl), "Set it to at least lock.ttl");
		}
	}

	/**
	 * Create settings with a ttl of 30 s, no waiting, and renewal for an hour.
	 * @param namespace what keeps the keys apart
	 */
	public LockSettings(String namespace) {
		this(namespace, Duration.ofSeconds(30), Duration.ZERO);
	}

	/**
	 * Create settings with renewal for an hour.
	 * @param namespace what keeps the keys apart
	 * @param ttl the time to live of a request without one
	 * @param waitTime the wait time of a request without one
	 */
	public LockSettings(String namespace, Duration ttl, Duration waitTime) {
		this(namespace, ttl, waitTime, (ttl.toHours() < 1) ? Duration.ofHours(1) : ttl, OnLoss.FLAG,
				HandOverLimits.DEFAULT, OnUnavailable.FAIL);
	}

	/**
	 * Return a request in which nothing is left open.
	 * @param request a request
	 * @return the request, with ttl and wait time
	 * @throws IllegalArgumentException if its minHold is longer than the ttl it gets
	 */
	public LockRequest complete(LockRequest request) {
		if (request.ttl() != null && request.waitTime() != null) {
			return request;
		}
		return new LockRequest(request.key(), request.mode(), (request.ttl() != null) ? request.ttl() : this.ttl,
				(request.waitTime() != null) ? request.waitTime() : this.waitTime, request.minHold(),
				request.autoRenew(), request.caller());
	}

}
