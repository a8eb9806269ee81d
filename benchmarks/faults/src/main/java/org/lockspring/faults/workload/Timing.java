package org.lockspring.faults.workload;

import java.time.Duration;

/**
 * The times that all locks here have: short, so that many faults fit into a minute.
 */
public final class Timing {

	/** How long a crashed holder blocks others. */
	public static final Duration TTL = Duration.ofMillis(1500);

	/** How long to wait for a busy lock. */
	public static final Duration WAIT = Duration.ofSeconds(3);

	/** How long a job keeps its lock at least. */
	public static final Duration MIN_HOLD = Duration.ofMillis(600);

	/** How far the clock of a store steps back at a time. */
	public static final Duration STEP_BACK = TTL.multipliedBy(2);

	private Timing() {
	}

}
