package org.lockspring.core;

import org.jspecify.annotations.Nullable;

/**
 * The right to talk to the store about one lock.
 */
final class Turn {

	final String name;

	/** What the holder before has left. */
	final @Nullable Inheritance inheritance;

	/** Who shall have a chance first. */
	final Yielding yielding;

	/**
	 * When this process took the lock from the store; waiting for it does not count.
	 */
	volatile long since;

	volatile int passes;

	private volatile boolean anew;

	/** Whether another process was seen to want the lock too. */
	volatile boolean contended;

	private volatile @Nullable HeldLease holder;

	Turn(String name, @Nullable Inheritance inheritance, Yielding yielding) {
		this.name = name;
		this.inheritance = inheritance;
		this.yielding = yielding;
		this.since = (inheritance != null) ? inheritance.from().since : System.nanoTime();
		this.passes = (inheritance != null) ? inheritance.from().passes + 1 : 0;
		this.anew = inheritance == null;
		this.contended = inheritance != null && inheritance.from().contended;
	}

	/** Whether there is nothing to wait for before the holder can go on. */
	boolean isReady() {
		return this.inheritance == null || this.inheritance.answer() == null || this.inheritance.answer().isDone();
	}

	/**
	 * Count from now on: what was inherited has ended, and the store is asked.
	 */
	void beginAnew() {
		this.anew = true;
		this.passes = 0;
	}

	/**
	 * Tell whose the turn is now, so that waiters can see it end.
	 */
	void hold(HeldLease lease) {
		if (this.anew) {
			this.since = System.nanoTime();
		}
		this.holder = lease;
	}

	/** How long waiters need not look at the holder, in nanoseconds. */
	long untilHolderEnds() {
		HeldLease lease = this.holder;
		return (lease != null && !lease.isClosed()) ? lease.remaining().toNanos() : Long.MAX_VALUE;
	}

	boolean wasHeld() {
		return this.holder != null;
	}

	boolean isLost() {
		HeldLease current = this.holder;
		return current != null && !current.isValid() && !current.isClosed();
	}

}
