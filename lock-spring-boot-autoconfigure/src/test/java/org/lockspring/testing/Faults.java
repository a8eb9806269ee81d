package org.lockspring.testing;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * The faults that a {@link FaultProxy} injects at the moment. Its monitor guards
 * everything; threads that a fault holds up wait on it.
 */
final class Faults {

	private Predicate<byte[]> affected = (request) -> true;

	private int toSwallow;

	private int toCut;

	private Duration delay = Duration.ZERO;

	private boolean holding;

	private boolean blackhole;

	private int held;

	private int swallowed;

	private int cut;

	private boolean closed;

	synchronized void only(Predicate<byte[]> requests) {
		this.affected = requests;
	}

	synchronized void swallow(int replies) {
		this.toSwallow = replies;
	}

	synchronized void cut(int requests) {
		this.toCut = requests;
	}

	synchronized void delay(Duration replies) {
		this.delay = replies;
	}

	synchronized void hold(boolean requests) {
		this.holding = requests;
		notifyAll();
	}

	synchronized void blackhole() {
		this.blackhole = true;
	}

	synchronized void heal() {
		this.affected = (request) -> true;
		this.toSwallow = 0;
		this.toCut = 0;
		this.delay = Duration.ZERO;
		this.holding = false;
		this.blackhole = false;
		notifyAll();
	}

	synchronized void close() {
		heal();
		this.closed = true;
	}

	/**
	 * Decide about a request, and wait while it has to be held.
	 * @return what happens to its reply
	 */
	synchronized Fate fateOf(byte[] request) throws InterruptedException {
		boolean hit = this.affected.test(request);
		if (hit && this.holding) {
			this.held++;
			while (this.holding) {
				wait();
			}
			this.held--;
		}
		awaitPassage();
		if (hit && this.toCut > 0) {
			this.toCut--;
			return Fate.CUT;
		}
		if (hit && this.toSwallow > 0) {
			this.toSwallow--;
			return Fate.SWALLOW;
		}
		return hit ? Fate.DELAY : Fate.PASS;
	}

	/**
	 * Wait until the blackhole is healed.
	 */
	synchronized void awaitPassage() throws InterruptedException {
		while (this.blackhole) {
			wait();
		}
	}

	/**
	 * Wait as long as replies are delayed. A reply that is on its way keeps its delay.
	 */
	void awaitDelay() throws InterruptedException {
		Duration current;
		synchronized (this) {
			current = this.closed ? Duration.ZERO : this.delay;
		}
		Thread.sleep(current.toMillis());
	}

	synchronized void countSwallowed() {
		this.swallowed++;
	}

	synchronized void countCut() {
		this.cut++;
	}

	synchronized int held() {
		return this.held;
	}

	synchronized int swallowed() {
		return this.swallowed;
	}

	synchronized int cutConnections() {
		return this.cut;
	}

	enum Fate {

		PASS, DELAY, SWALLOW, CUT

	}

}
