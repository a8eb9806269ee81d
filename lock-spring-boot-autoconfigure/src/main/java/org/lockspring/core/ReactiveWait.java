package org.lockspring.core;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockLease;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import reactor.core.Disposable;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * One subscription's wait for a lock: in line without a thread, then, when it is first,
 * on a thread that is interrupted if the subscription is cancelled.
 */
final class ReactiveWait {

	private final LockTemplate template;

	private final ReactiveQueue queue;

	private final LockRequest request;

	private final ReactiveLeases outer;

	private final Predicate<HeldLease> holder;

	private final MonoSink<LockLease> sink;

	private final long deadline;

	private final BodyInterrupt interrupt = new BodyInterrupt();

	private final Runnable turn = this::takeTurn;

	private volatile @Nullable Disposable timeout;

	private volatile boolean disposed;

	/**
	 * Create a wait.
	 * @param template takes the lock
	 * @param queue the line of each key
	 * @param request a complete request
	 * @param outer what the chain holds already
	 * @param holder gets the lease, if it still wants it
	 * @param sink gets it too, or why there is none
	 */
	ReactiveWait(LockTemplate template, ReactiveQueue queue, LockRequest request, ReactiveLeases outer,
			Predicate<HeldLease> holder, MonoSink<LockLease> sink) {
		this.template = template;
		this.queue = queue;
		this.request = request;
		this.outer = outer;
		this.holder = holder;
		this.sink = sink;
		this.deadline = System.nanoTime() + Objects.requireNonNull(request.waitTime()).toNanos();
	}

	void start() {
		this.sink.onDispose(this::dispose);
		long left = left().toNanos();
		if (left == 0) {
			// Tries once, and must not wait for those who wait
			this.template.waiting().execute(() -> obtain(() -> {
			}));
		}
		else if (!this.queue.join(this.request.key(), this.turn)) {
			this.timeout = Schedulers.parallel().schedule(this::giveUp, left, TimeUnit.NANOSECONDS);
		}
	}

	private void giveUp() {
		if (this.queue.drop(this.request.key(), this.turn)) {
			this.sink.error(LeaseAcquirer.busy(this.request));
		}
	}

	private void dispose() {
		this.disposed = true;
		Disposable timeout = this.timeout;
		if (timeout != null) {
			timeout.dispose();
		}
		if (!this.queue.drop(this.request.key(), this.turn)) {
			this.interrupt.interrupt();
		}
	}

	private void takeTurn() {
		this.template.waiting().execute(() -> obtain(() -> this.queue.next(this.request.key())));
	}

	private void obtain(Runnable waited) {
		LockLease lease = null;
		Throwable failure = null;
		this.interrupt.begin();
		try {
			lease = this.disposed ? null : this.outer.with(this::obtain);
		}
		catch (Throwable ex) {
			failure = ex;
		}
		finally {
			// From here on an interrupt could only harm the release
			this.interrupt.end();
			waited.run();
		}
		if (failure != null && !this.disposed) {
			this.sink.error(failure);
		}
		else if (lease != null && (!(lease instanceof HeldLease held) || this.holder.test(held))) {
			this.sink.success(lease);
		}
	}

	private LockLease obtain() {
		try {
			return this.template.leases().obtain(this.request.withWaitTime(left()));
		}
		catch (LockUnavailableException ex) {
			return this.template.noLease(this.request, ex);
		}
	}

	private Duration left() {
		return Duration.ofNanos(Math.max(0, this.deadline - System.nanoTime()));
	}

}
