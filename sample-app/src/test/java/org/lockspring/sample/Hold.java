package org.lockspring.sample;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Keeps one thread inside its critical section, so that a stop of the whole JVM certainly
 * hits a holder.
 */
final class Hold {

	private final AtomicBoolean wanted = new AtomicBoolean();

	private final Semaphore go = new Semaphore(0);

	private final Runnable whenHeld;

	Hold(Runnable whenHeld) {
		this.whenHeld = whenHeld;
	}

	/**
	 * Let the next thread that passes wait.
	 */
	void arm() {
		this.wanted.set(true);
	}

	/**
	 * Let the thread that waits go on.
	 */
	void release() {
		this.go.release();
	}

	/**
	 * Called by each thread after it has read and before it writes.
	 */
	void pass() {
		if (this.wanted.compareAndSet(true, false)) {
			this.whenHeld.run();
			this.go.acquireUninterruptibly();
		}
	}

}
