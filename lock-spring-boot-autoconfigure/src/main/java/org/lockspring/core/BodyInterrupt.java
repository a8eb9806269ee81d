package org.lockspring.core;

import java.util.ArrayList;
import java.util.List;

/**
 * Interrupts the threads that run bodies of one lease, but not what they do afterwards.
 */
final class BodyInterrupt {

	/** Once for each body: re-entries nest. */
	private final List<Thread> bodies = new ArrayList<>(1);

	private boolean interrupted;

	synchronized void begin() {
		this.bodies.add(Thread.currentThread());
	}

	/**
	 * A body has ended. An interrupt that the outermost of a thread did not take notice
	 * of was not meant for the caller.
	 */
	synchronized void end() {
		Thread thread = Thread.currentThread();
		this.bodies.remove(thread);
		if (this.interrupted && !this.bodies.contains(thread)) {
			Thread.interrupted();
		}
	}

	synchronized void interrupt() {
		if (!this.bodies.isEmpty()) {
			this.interrupted = true;
			this.bodies.forEach(Thread::interrupt);
		}
	}

}
