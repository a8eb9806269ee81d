package org.lockspring.core;

import java.util.ArrayList;
import java.util.List;

/**
 * Parks as {@link Parking#THREADS} does, but never returns for no reason and never after
 * a while: a wake-up that is missing is a deadlock, which a model checker finds.
 */
final class StrictParking implements Parking {

	private final List<Thread> permits = new ArrayList<>();

	private final List<Thread> interrupts = new ArrayList<>();

	private int parked;

	@Override
	public synchronized void park(Object blocker, long nanos) {
		Thread me = Thread.currentThread();
		if (nanos == 1) {
			return; // what was waited for is over already
		}
		this.parked++;
		notifyAll();
		try {
			while (!this.permits.remove(me) && !this.interrupts.contains(me)) {
				wait();
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		this.parked--;
	}

	@Override
	public synchronized boolean interrupted() {
		return this.interrupts.remove(Thread.currentThread());
	}

	synchronized void interrupt(Thread thread) {
		this.interrupts.add(thread);
		notifyAll();
	}

	@Override
	public synchronized void unpark(Thread thread) {
		if (!this.permits.contains(thread)) {
			this.permits.add(thread);
		}
		notifyAll();
	}

	synchronized void awaitParked(int threads) {
		try {
			while (this.parked < threads) {
				wait();
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
