package org.lockspring.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.lockspring.ReleaseSignals.Subscription;

/**
 * One channel and those who listen to it.
 */
final class SignalChannel {

	private final Map<Object, Runnable> listeners = new ConcurrentHashMap<>();

	private boolean requested;

	private CountDownLatch confirmed = new CountDownLatch(1);

	private boolean interrupted;

	private long unusedSince = System.nanoTime();

	Subscription add(Runnable listener) {
		Object id = new Object();
		this.listeners.put(id, listener);
		return () -> {
			this.listeners.remove(id);
			unused();
		};
	}

	private synchronized void unused() {
		this.unusedSince = System.nanoTime();
	}

	synchronized boolean isUnused(long nanos) {
		return !hasListeners() && System.nanoTime() - this.unusedSince > nanos;
	}

	boolean hasListeners() {
		return !this.listeners.isEmpty();
	}

	/**
	 * Decide who asks the server to subscribe.
	 * @return whether the caller has to
	 */
	synchronized boolean request() {
		boolean first = !this.requested;
		this.requested = true;
		return first;
	}

	synchronized boolean isConfirmed() {
		return this.confirmed.getCount() == 0;
	}

	/**
	 * Wait until the subscription is in force.
	 * @return whether it is
	 */
	boolean await(long nanos) throws InterruptedException {
		CountDownLatch latch;
		synchronized (this) {
			latch = this.confirmed;
		}
		return latch.await(nanos, TimeUnit.NANOSECONDS) && isConfirmed();
	}

	/**
	 * The server has subscribed us, perhaps for the second time after an interruption, in
	 * which a signal may have been missed.
	 */
	void confirm() {
		boolean missed;
		synchronized (this) {
			missed = this.interrupted || isConfirmed();
			this.interrupted = false;
			this.confirmed.countDown();
		}
		if (missed) {
			signal();
		}
	}

	/**
	 * The subscription is not in force any longer, or was refused.
	 */
	synchronized void interrupt() {
		this.interrupted |= isConfirmed();
		this.requested = false;
		this.confirmed.countDown();
		this.confirmed = new CountDownLatch(1);
	}

	void signal() {
		this.listeners.values().forEach(Runnable::run);
	}

}
