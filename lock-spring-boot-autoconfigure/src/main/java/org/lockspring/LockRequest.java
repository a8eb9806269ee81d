package org.lockspring;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * What to lock, for what stakes, for how long.
 *
 * @param key what to lock; any text that is not blank
 * @param mode what is at stake
 * @param ttl how long a crashed holder blocks others, 10 ms to 24 h; {@code null} for the
 * property {@code lock.ttl}
 * @param waitTime how long to wait for a busy lock, up to 24 h; zero tries once;
 * {@code null} for the property {@code lock.wait-time}
 * @param minHold how long the lock stays held even if the body ends earlier, at most the
 * ttl; zero releases at once
 * @param autoRenew whether the lease may be renewed while the body runs
 * @param caller who asks, for messages and metrics, for example
 * {@code OrderService#ship}; empty if there is nothing to say
 * @since 0.1.0
 */
public record LockRequest(String key, LockMode mode, @Nullable Duration ttl, @Nullable Duration waitTime,
		Duration minHold, boolean autoRenew, String caller) {

	private static final Duration MIN_TTL = Duration.ofMillis(10);

	private static final Duration MAX = Duration.ofHours(24);

	/**
	 * Create a request.
	 * @throws LockKeyException if the key is blank
	 * @throws IllegalArgumentException if a duration is out of its range
	 */
	public LockRequest {
		if (!StringUtils.hasText(key)) {
			throw new LockKeyException("A lock key must not be blank");
		}
		requireRange("ttl", ttl, MIN_TTL);
		requireRange("waitTime", waitTime, Duration.ZERO);
		requireRange("minHold", minHold, Duration.ZERO);
		if (ttl != null && minHold.compareTo(ttl) > 0) {
			throw new IllegalArgumentException("minHold %s is longer than ttl %s".formatted(minHold, ttl));
		}
	}

	private static void requireRange(String name, @Nullable Duration value, Duration min) {
		if (value != null && (value.compareTo(min) < 0 || value.compareTo(MAX) > 0)) {
			throw new IllegalArgumentException("%s %s is not within %s to %s".formatted(name, value, min, MAX));
		}
	}

	/**
	 * Return a request for a key: {@link LockMode#EFFICIENCY}, durations from the
	 * properties.
	 * @param key what to lock
	 * @return a request
	 * @throws LockKeyException if the key is blank
	 */
	public static LockRequest of(String key) {
		return new LockRequest(key, LockMode.EFFICIENCY, null, null, Duration.ZERO, true, "");
	}

	/**
	 * Return this request with another mode.
	 * @param mode what is at stake
	 * @return a request
	 */
	public LockRequest withMode(LockMode mode) {
		return new LockRequest(this.key, mode, this.ttl, this.waitTime, this.minHold, this.autoRenew, this.caller);
	}

	/**
	 * Return this request with another time to live.
	 * @param ttl 10 ms to 24 h; {@code null} for the property
	 * @return a request
	 */
	public LockRequest withTtl(@Nullable Duration ttl) {
		return new LockRequest(this.key, this.mode, ttl, this.waitTime, this.minHold, this.autoRenew, this.caller);
	}

	/**
	 * Return this request with another wait time.
	 * @param waitTime up to 24 h; zero tries once; {@code null} for the property
	 * @return a request
	 */
	public LockRequest withWaitTime(@Nullable Duration waitTime) {
		return new LockRequest(this.key, this.mode, this.ttl, waitTime, this.minHold, this.autoRenew, this.caller);
	}

	/**
	 * Return this request with another shortest time to hold.
	 * @param minHold at most the ttl; zero releases at once
	 * @return a request
	 */
	public LockRequest withMinHold(Duration minHold) {
		return new LockRequest(this.key, this.mode, this.ttl, this.waitTime, minHold, this.autoRenew, this.caller);
	}

	/**
	 * Return this request with or without renewal.
	 * @param autoRenew whether the lease may be renewed while the body runs
	 * @return a request
	 */
	public LockRequest withAutoRenew(boolean autoRenew) {
		return new LockRequest(this.key, this.mode, this.ttl, this.waitTime, this.minHold, autoRenew, this.caller);
	}

	/**
	 * Return this request with the name of who asks.
	 * @param caller for messages and metrics; the same for every key
	 * @return a request
	 */
	public LockRequest withCaller(String caller) {
		return new LockRequest(this.key, this.mode, this.ttl, this.waitTime, this.minHold, this.autoRenew, caller);
	}

	/**
	 * Return how to call the lock in a message.
	 * @return the key in quotes, and the caller if there is one; a long key is cut
	 */
	public String description() {
		String shown = (this.key.length() <= 100) ? this.key : this.key.substring(0, 100) + "...";
		// Asked for with every acquisition, while there hardly ever is anything to
		// replace
		String quoted = "'" + (isPlain(shown) ? shown : shown.replaceAll("\\p{Cc}", "?")) + "'";
		return this.caller.isEmpty() ? quoted : quoted + " of " + this.caller;
	}

	private static boolean isPlain(String text) {
		for (int i = 0; i < text.length(); i++) {
			if (Character.isISOControl(text.charAt(i))) {
				return false;
			}
		}
		return true;
	}

}
