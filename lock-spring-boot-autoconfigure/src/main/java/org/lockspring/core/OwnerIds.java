package org.lockspring.core;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Identities of acquisitions, which differ in all processes. A random number (of 122
 * bits) is counted on for a tenth of a second, then another one is drawn: each draw is a
 * critical section of the whole process, which many threads feel.
 * <p>
 * Two processes that are restored from one snapshot would count on from the same number
 * for what is left of that time: who starts again has to {@linkplain #renew() draw anew}.
 */
final class OwnerIds {

	private static final long PERIOD = Duration.ofMillis(100).toNanos();

	private final LongSupplier clock;

	private volatile Series series;

	OwnerIds() {
		this(System::nanoTime);
	}

	/**
	 * Create identities.
	 * @param clock in nanoseconds
	 */
	OwnerIds(LongSupplier clock) {
		this.clock = clock;
		this.series = new Series(clock.getAsLong());
	}

	/**
	 * Draw anew.
	 */
	void renew() {
		this.series = new Series(this.clock.getAsLong());
	}

	/**
	 * Return another identity.
	 * @return 36 characters
	 */
	String next() {
		long now = this.clock.getAsLong();
		Series current = this.series;
		if (!current.isFresh(now)) {
			current = new Series(now);
			this.series = current;
		}
		return current.next();
	}

	private static final class Series {

		private final UUID start = UUID.randomUUID();

		private final AtomicLong count = new AtomicLong(this.start.getLeastSignificantBits());

		private final long since;

		Series(long since) {
			this.since = since;
		}

		boolean isFresh(long now) {
			// A process that was restored elsewhere may find another clock
			return now - this.since >= 0 && now - this.since < PERIOD;
		}

		String next() {
			return new UUID(this.start.getMostSignificantBits(), this.count.getAndIncrement()).toString();
		}

	}

}
