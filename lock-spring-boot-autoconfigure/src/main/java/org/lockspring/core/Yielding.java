package org.lockspring.core;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How a process that has used up its time with a lock lets others go first.
 */
enum Yielding {

	/** It has not. */
	NO(Duration.ZERO, Duration.ZERO),

	/** For a moment: nobody else was seen, but somebody may have been told just now. */
	BRIEFLY(Duration.ofMillis(3), Duration.ZERO),

	/** Others are there: until they run, also on a busy machine. */
	CONTENDED(Duration.ofMillis(20), Duration.ofMillis(4));

	/** After which time others have had their turn too. */
	private static final long ROUND = Duration.ofMillis(300).toNanos();

	private final long pause;

	private final long handicap;

	Yielding(Duration pause, Duration handicap) {
		this.pause = pause.toNanos();
		this.handicap = handicap.toNanos();
	}

	static Yielding after(Turn turn, HandOverLimits limits) {
		if (!turn.wasHeld() || !limits.isExhausted(turn)) {
			return NO;
		}
		return turn.contended ? CONTENDED : BRIEFLY;
	}

	Yielding longer(Yielding other) {
		return (compareTo(other) >= 0) ? this : other;
	}

	/**
	 * Return how long to wait before the first try.
	 */
	long pause() {
		return (this.pause > 0) ? ThreadLocalRandom.current().nextLong(this.pause / 3, this.pause) : 0;
	}

	/**
	 * Return how long to wait after a release: the less, the longer the process has
	 * waited, so that those who wait longest come first.
	 * @param waited since the process had the lock, in ns
	 */
	long handicap(long waited) {
		return (waited < ROUND) ? this.handicap - this.handicap * waited / ROUND : 0;
	}

}
