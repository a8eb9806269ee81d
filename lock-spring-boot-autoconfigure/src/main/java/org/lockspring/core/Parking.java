package org.lockspring.core;

import java.util.concurrent.locks.LockSupport;

/**
 * How threads wait for their turn. A seam: model checkers let {@link LockSupport#park}
 * return for no reason, as it may, and so cannot see a wake-up that is missing.
 */
interface Parking {

	/**
	 * What runs everywhere but in a model.
	 */
	Parking THREADS = new Parking() {

		@Override
		public void park(Object blocker, long nanos) {
			LockSupport.parkNanos(blocker, nanos);
		}

		@Override
		public boolean interrupted() {
			return Thread.interrupted();
		}

		@Override
		public void unpark(Thread thread) {
			LockSupport.unpark(thread);
		}

	};

	void park(Object blocker, long nanos);

	/**
	 * Whether this thread was interrupted; it is not any longer.
	 */
	boolean interrupted();

	void unpark(Thread thread);

}
