package org.lockspring.core;

import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * A daemon thread that is there while there is work. Work is added first and the thread
 * {@linkplain #require() required} then; the thread {@linkplain #leave() leaves} first
 * and looks for work then: one of the two sees the other.
 */
final class OnDemandThread {

	private final String name;

	private final Runnable work;

	private final BooleanSupplier idle;

	private volatile @Nullable Thread running;

	private volatile boolean closed;

	/**
	 * Create without starting.
	 * @param name the thread's name
	 * @param work what it does, until it may {@link #leave()}
	 * @param idle whether there is nothing to do
	 */
	OnDemandThread(String name, Runnable work, BooleanSupplier idle) {
		this.name = name;
		this.work = work;
		this.idle = idle;
	}

	/**
	 * Have the thread run.
	 * @return the thread; {@code null} after {@link #close()}
	 */
	@Nullable Thread require() {
		if (this.running == null) {
			start();
		}
		return this.running;
	}

	private synchronized void start() {
		if (this.running == null && !this.closed) {
			// What belongs to the caller who happens to be first is not inherited
			Thread thread = new Thread(null, this.work, this.name, 0, false);
			thread.setDaemon(true);
			thread.start();
			this.running = thread;
		}
	}

	/**
	 * Called by the thread when it has nothing to do.
	 * @return whether it has to end; {@code false} if there is work again
	 */
	synchronized boolean leave() {
		this.running = null;
		if (this.closed || this.idle.getAsBoolean()) {
			return true;
		}
		this.running = Thread.currentThread();
		return false;
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Start no more.
	 * @return the thread, which has to end
	 */
	@Nullable Thread close() {
		this.closed = true;
		return this.running;
	}

}
