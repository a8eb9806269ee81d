package org.lockspring.core;

import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that runs a body, but not what it does afterwards.
 */
final class BodyInterrupt {

	private @Nullable Thread body;

	private boolean interrupted;

	synchronized void begin() {
		this.body = Thread.currentThread();
	}

	/**
	 * The body has ended. An interrupt that it did not take notice of was not meant for
	 * the caller.
	 */
	synchronized void end() {
		this.body = null;
		if (this.interrupted) {
			Thread.interrupted();
		}
	}

	synchronized void interrupt() {
		if (this.body != null) {
			this.interrupted = true;
			this.body.interrupt();
		}
	}

}
