package org.lockspring.sample;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Keeps one thread at a place inside its critical section, so that a stop of the whole
 * JVM certainly hits a holder there.
 */
final class Hold {

	private final AtomicReference<@Nullable Place> wanted = new AtomicReference<>();

	private final Semaphore go = new Semaphore(0);

	private final Runnable whenHeld;

	Hold(Runnable whenHeld) {
		this.whenHeld = whenHeld;
	}

	/**
	 * Let the next thread that passes the place wait.
	 */
	void arm(Place place) {
		this.wanted.set(place);
	}

	/**
	 * Let the thread that waits go on.
	 */
	void release() {
		this.go.release();
	}

	/**
	 * Called by each thread at each place.
	 */
	void pass(Place place) {
		if (this.wanted.compareAndSet(place, null)) {
			this.whenHeld.run();
			this.go.acquireUninterruptibly();
		}
	}

	enum Place {

		/** The lock is held, and no transaction has begun. */
		BEFORE_BEGIN,

		/** The balances were read. */
		BEFORE_WRITE,

		/** All is written, and the lease was found valid for the last time. */
		BEFORE_COMMIT

	}

}
