package org.lockspring.faults.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.lockspring.testing.SteppedClock;

/**
 * The wall clock of a server, where there can be one of its own.
 */
final class StoreClock {

	private final @Nullable SteppedClock clock = SteppedClock.isAvailable() ? new SteppedClock() : null;

	private Duration offset = Duration.ZERO;

	@Nullable SteppedClock clock() {
		return this.clock;
	}

	void step(Duration by) {
		set(this.offset.plus(by));
	}

	void set(Duration newOffset) {
		this.offset = newOffset;
		if (this.clock != null) {
			this.clock.step(newOffset);
		}
	}

}
