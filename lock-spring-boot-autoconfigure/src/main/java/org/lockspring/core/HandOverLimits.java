package org.lockspring.core;

import java.time.Duration;

/**
 * How long one process may keep a lock among its own threads while others wait.
 *
 * @param enabled whether it may at all
 * @param maxConsecutive how often it may pass the lock on before it releases it
 * @param maxTime how long after it took the lock from the store it may still pass it on
 * @since 0.1.0
 */
public record HandOverLimits(boolean enabled, int maxConsecutive, Duration maxTime) {

	/**
	 * The default: 1000 times within 50 ms.
	 */
	public static final HandOverLimits DEFAULT = new HandOverLimits(true, 1000, Duration.ofMillis(50));

	boolean allow(Turn turn) {
		return this.enabled && !isExhausted(turn);
	}

	boolean isExhausted(Turn turn) {
		return this.enabled
				&& (turn.passes >= this.maxConsecutive || System.nanoTime() - turn.since > this.maxTime.toNanos());
	}

}
