package org.lockspring.core;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.LockBackend;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Runs code under a lock, whatever the store. Thread-safe. Re-enters only locks that it
 * took itself.
 *
 * @since 0.1.0
 */
public class LockTemplate implements LockOperations, AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockTemplate.class);

	/** How long a thread that waits for the store stays when it is idle, in seconds. */
	private static final long LINGER = 5;

	private final LockSettings settings;

	private final LeaseWatch watch;

	private final LeaseAcquirer acquirer;

	private final Leases leases;

	private final LockedBodies bodies;

	/**
	 * Not bounded: holders that want to release must not queue behind waiters. Its
	 * threads end when they are idle.
	 */
	private final Executor waiting = new ThreadPoolExecutor(0, Integer.MAX_VALUE, LINGER, TimeUnit.SECONDS,
			new SynchronousQueue<>(), threads());

	/**
	 * Create a template over one store for both modes, as far as it supports them.
	 * @param backend the store
	 * @param settings what requests leave open
	 */
	public LockTemplate(LockBackend backend, LockSettings settings) {
		this(new LockBackends(backend, backend.supports(LockMode.CORRECTNESS) ? backend : null), settings, List.of());
	}

	/**
	 * Create a template that renews on threads of its own.
	 * @param backends the store of each mode
	 * @param settings what requests leave open
	 * @param participants who takes part in the life of each lease, in this order
	 */
	public LockTemplate(LockBackends backends, LockSettings settings, List<? extends LeaseParticipant> participants) {
		this(backends, settings, participants, new SimpleAsyncTaskExecutor("lock-renewal-"), (event) -> {
		});
	}

	/**
	 * Create a template.
	 * @param backends the store of each mode
	 * @param settings what requests leave open
	 * @param participants who takes part in the life of each lease, in this order
	 * @param renewals runs renewals, which wait for a store
	 * @param losses told of every lease that is lost
	 */
	public LockTemplate(LockBackends backends, LockSettings settings, List<? extends LeaseParticipant> participants,
			Executor renewals, Consumer<LockLostEvent> losses) {
		this.settings = settings;
		this.watch = new LeaseWatch(renewals);
		this.acquirer = new LeaseAcquirer(backends, settings, this.watch, this.waiting, losses);
		List<LeaseParticipant> all = List.copyOf(participants);
		this.leases = new Leases(this.acquirer, settings, all);
		this.bodies = new LockedBodies(all);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E {
		HeldLease lease;
		try {
			lease = this.leases.obtain(request);
		}
		catch (LockUnavailableException ex) {
			return runWithoutLock(request, callback, ex);
		}
		return this.bodies.run(lease, callback);
	}

	@Override
	public <T, E extends Throwable> Optional<T> tryExecute(LockRequest request, LockCallback<@Nullable T, E> callback)
			throws E {
		HeldLease lease;
		try {
			lease = tryObtain(request);
		}
		catch (LockUnavailableException ex) {
			return Optional.ofNullable(runWithoutLock(request, callback, ex));
		}
		return (lease != null) ? Optional.ofNullable(this.bodies.run(lease, callback)) : Optional.empty();
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> CompletableFuture<T> executeAsync(LockRequest request,
			LockCallback<? extends CompletionStage<T>, E> callback) throws E {
		HeldLease lease;
		try {
			lease = this.leases.obtain(request);
		}
		catch (LockUnavailableException ex) {
			return runWithoutLock(request, callback, ex).toCompletableFuture();
		}
		return new LockedStage(this, lease).run(callback);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> Optional<CompletableFuture<T>> tryExecuteAsync(
			LockRequest request, LockCallback<? extends CompletionStage<T>, E> callback) throws E {
		HeldLease lease;
		try {
			lease = tryObtain(request);
		}
		catch (LockUnavailableException ex) {
			return Optional.of(runWithoutLock(request, callback, ex).toCompletableFuture());
		}
		return (lease != null) ? Optional.of(new LockedStage(this, lease).run(callback)) : Optional.empty();
	}

	@Override
	public LockLease acquire(LockRequest request) {
		return handle(this.leases.obtain(request));
	}

	@Override
	public Optional<LockLease> tryAcquire(LockRequest request) {
		return Optional.ofNullable(tryObtain(request)).map(this::handle);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeAll(List<LockRequest> requests,
			LockCallback<T, E> callback) throws E {
		LeaseGroup group;
		try {
			group = LeaseGroup.obtain(this, requests);
		}
		catch (LockUnavailableException ex) {
			return callback.doWithLock(noLease(requests, ex));
		}
		return group.run(callback);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> CompletableFuture<T> executeAllAsync(
			List<LockRequest> requests, LockCallback<? extends CompletionStage<T>, E> callback) throws E {
		LeaseGroup group;
		try {
			group = LeaseGroup.obtain(this, requests);
		}
		catch (LockUnavailableException ex) {
			return callback.doWithLock(noLease(requests, ex)).toCompletableFuture();
		}
		return group.runAsync(callback);
	}

	private LockLease noLease(List<LockRequest> requests, LockUnavailableException reason) {
		LockLease last = null;
		for (LockRequest request : requests) {
			last = noLease(request, reason);
		}
		return Objects.requireNonNull(last);
	}

	private <T extends @Nullable Object, E extends Throwable> T runWithoutLock(LockRequest request,
			LockCallback<T, E> callback, LockUnavailableException reason) throws E {
		return callback.doWithLock(noLease(request, reason));
	}

	/**
	 * Return what a body gets in place of a lease that cannot be had.
	 */
	LockLease noLease(LockRequest request, LockUnavailableException reason) {
		if (request.mode() != LockMode.EFFICIENCY || this.settings.onUnavailable() != OnUnavailable.RUN
				|| !this.leases.isGranting()) {
			throw reason;
		}
		logger.warn("Running without lock %s (lock.efficiency.on-unavailable=run): %s".formatted(request.description(),
				reason.getMessage()));
		return new NoLease(request);
	}

	private @Nullable HeldLease tryObtain(LockRequest request) {
		try {
			return this.leases.obtain(request);
		}
		catch (LockNotAcquiredException ex) {
			if (Thread.currentThread().isInterrupted()) {
				throw ex;
			}
			return null;
		}
	}

	private LockLease handle(HeldLease lease) {
		return new LeaseHandle(lease, this.bodies);
	}

	/**
	 * Return what to run on that waits for a store on behalf of a caller who must not.
	 */
	Executor waiting() {
		return this.waiting;
	}

	Leases leases() {
		return this.leases;
	}

	LockedBodies bodies() {
		return this.bodies;
	}

	LockSettings settings() {
		return this.settings;
	}

	/**
	 * Grant locks or not. Without, a body that holds one may still take others, to end
	 * well.
	 */
	void grant(boolean granting) {
		this.leases.grant(granting);
	}

	/**
	 * Whether nobody holds or wants a lock.
	 */
	boolean isIdle() {
		// The line first: who leaves it holds, or releases until everything is answered
		return this.acquirer.isIdle() && !isHolding();
	}

	/**
	 * Whether a lease is held, or given back just now.
	 */
	boolean isHolding() {
		return !this.watch.leases().isEmpty() || this.acquirer.isReleasing();
	}

	/**
	 * Grant no locks to new callers and stop renewing. Leases that are still held are
	 * released when their bodies end, or end with their ttl, which nobody notices before.
	 */
	@Override
	public void close() {
		grant(false);
		this.watch.close();
	}

	private static CustomizableThreadFactory threads() {
		return new CustomizableThreadFactory("lock-wait-") {

			@Override
			public Thread createThread(Runnable runnable) {
				// What belongs to the caller who happens to be first is not inherited
				Thread thread = new Thread(null, runnable, nextThreadName(), 0, false);
				thread.setDaemon(true);
				return thread;
			}

		};
	}

}
