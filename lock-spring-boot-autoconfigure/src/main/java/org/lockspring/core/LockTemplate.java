package org.lockspring.core;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.CurrentLock;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockBackend;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
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

	private final LockSettings settings;

	private final LeaseWatch watch;

	private final LeaseAcquirer acquirer;

	private final List<LeaseParticipant> participants;

	/**
	 * Not bounded: holders that want to release must not queue behind waiters. Its
	 * threads end when they are idle.
	 */
	private final Executor waiting = Executors.newCachedThreadPool(threads());

	private volatile boolean granting = true;

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
		this.acquirer = new LeaseAcquirer(backends, settings, this.watch, losses);
		this.participants = List.copyOf(participants);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E {
		HeldLease lease;
		try {
			lease = obtain(request);
		}
		catch (LockUnavailableException ex) {
			return runWithoutLock(request, callback, ex);
		}
		return run(lease, callback);
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
		return (lease != null) ? Optional.ofNullable(run(lease, callback)) : Optional.empty();
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> CompletableFuture<T> executeAsync(LockRequest request,
			LockCallback<? extends CompletionStage<T>, E> callback) throws E {
		HeldLease lease;
		try {
			lease = obtain(request);
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
		return handle(obtain(request));
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
				|| !this.granting) {
			throw reason;
		}
		logger.warn("Running without lock %s (lock.efficiency.on-unavailable=run): %s".formatted(request.description(),
				reason.getMessage()));
		return new NoLease(request);
	}

	private @Nullable HeldLease tryObtain(LockRequest request) {
		try {
			return obtain(request);
		}
		catch (LockNotAcquiredException ex) {
			if (Thread.currentThread().isInterrupted()) {
				throw ex;
			}
			return null;
		}
	}

	/**
	 * Obtain a lease that is bound to no thread; it has to be left.
	 */
	HeldLease obtain(LockRequest request) {
		HeldLease held = reenter(request);
		if (held != null) {
			return held;
		}
		requireGranting(request);
		HeldLease lease = this.acquirer.acquire(this.settings.complete(request));
		try {
			tellParticipants(lease);
			return lease;
		}
		catch (Throwable ex) {
			lease.release();
			throw ex;
		}
	}

	/**
	 * Obtain leases that this call chain does not hold, all or none.
	 * @param requests of different keys, in the order of their keys
	 */
	List<HeldLease> obtainNew(List<LockRequest> requests) {
		requireGranting(requests.get(0));
		List<HeldLease> leases = this.acquirer.acquireAll(requests.stream().map(this.settings::complete).toList());
		try {
			leases.forEach(this::tellParticipants);
			return leases;
		}
		catch (Throwable ex) {
			leases.forEach(HeldLease::release);
			throw ex;
		}
	}

	private void requireGranting(LockRequest request) {
		if (!this.granting && CurrentLock.leases().isEmpty()) {
			throw new LockUnavailableException(
					"Lock " + request.description() + " is not acquired: the application is shutting down", null,
					false);
		}
	}

	private void tellParticipants(HeldLease lease) {
		for (LeaseParticipant participant : this.participants) {
			participant.acquired(lease);
		}
	}

	/**
	 * Enter a lease that this call chain holds.
	 */
	@Nullable HeldLease reenter(LockRequest request) {
		HeldLease held = find(request.key(), CurrentLock.leases());
		for (LeaseParticipant participant : this.participants) {
			held = (held != null) ? held : find(request.key(), participant.kept());
		}
		return (held != null) ? reenter(request, held) : null;
	}

	private @Nullable HeldLease find(String key, Collection<? extends LockLease> leases) {
		for (LockLease lease : leases) {
			LockLease candidate = (lease instanceof LeaseHandle handle) ? handle.lease() : lease;
			if (candidate instanceof HeldLease held && held.isFrom(this.acquirer) && held.key().equals(key)) {
				return held;
			}
		}
		return null;
	}

	private static @Nullable HeldLease reenter(LockRequest request, HeldLease held) {
		if (request.mode() == LockMode.CORRECTNESS && held.mode() == LockMode.EFFICIENCY) {
			throw new InvalidLockDefinitionException("Lock " + request.description(),
					"CORRECTNESS was asked for while this call holds it for EFFICIENCY, without a fencing token",
					"Acquire the outer lock with mode = CORRECTNESS");
		}
		if (!held.isValid()) {
			if (held.mode() == LockMode.CORRECTNESS) {
				throw new LockLostException("Lock " + request.description() + " cannot be re-entered: it was lost");
			}
			return null;
		}
		return held.enter() ? held : null;
	}

	private LockLease handle(HeldLease lease) {
		return new LeaseHandle(lease, () -> leaveCancelled(lease));
	}

	<T extends @Nullable Object, E extends Throwable> T run(HeldLease lease, LockCallback<T, E> callback) throws E {
		T result;
		try {
			result = call(lease, callback);
		}
		catch (Throwable ex) {
			leaveAfter(lease, ex);
			throw ex;
		}
		leaveOrThrow(lease);
		return result;
	}

	/**
	 * Run a body with the lease bound to this thread, and leave the lease to the caller.
	 */
	<T extends @Nullable Object, E extends Throwable> T call(HeldLease lease, LockCallback<T, E> callback) throws E {
		return CurrentLock.with(lease, () -> runBody(lease, callback));
	}

	/**
	 * Leave a lease whose body failed: its failure wins.
	 */
	@SuppressWarnings("ReferenceEquality") // an exception cannot suppress itself
	void leaveAfter(HeldLease lease, Throwable failure) {
		LockLostException lost = leave(lease);
		// What made the lease lost is the cause of "lost" already
		if (lost != null && failure != lost && failure != lost.getCause()) {
			failure.addSuppressed(lost);
		}
	}

	/**
	 * Leave a lease whose body came to its end.
	 * @throws LockLostException if that end is worth nothing
	 */
	void leaveOrThrow(HeldLease lease) {
		LockLostException lost = leave(lease);
		if (lost != null && lease.mode() == LockMode.CORRECTNESS && !lease.isVouched()) {
			throw lost;
		}
		warn(lost);
	}

	/**
	 * Leave a lease whose body was cancelled.
	 */
	void leaveCancelled(HeldLease lease) {
		warn(leave(lease));
	}

	/**
	 * Return what to run on that waits for a store on behalf of a caller who must not.
	 */
	Executor waiting() {
		return this.waiting;
	}

	LockSettings settings() {
		return this.settings;
	}

	private static <T extends @Nullable Object, E extends Throwable> T runBody(HeldLease lease,
			LockCallback<T, E> callback) throws E {
		lease.interrupt().begin();
		try {
			return callback.doWithLock(lease);
		}
		finally {
			lease.interrupt().end();
		}
	}

	private @Nullable LockLostException leave(HeldLease lease) {
		if (!lease.leaveUnlessLast()) {
			return null;
		}
		for (LeaseParticipant participant : this.participants) {
			if (participant.keep(lease, () -> warn(end(lease)))) {
				return null;
			}
		}
		return end(lease);
	}

	private static @Nullable LockLostException end(HeldLease lease) {
		return lease.leave() ? lease.release() : null;
	}

	private static void warn(@Nullable LockLostException lost) {
		if (lost != null) {
			logger.warn(lost.getMessage());
		}
	}

	/**
	 * Grant locks or not. Without, a body that holds one may still take others, to end
	 * well.
	 */
	void grant(boolean granting) {
		this.granting = granting;
	}

	/**
	 * Whether nobody holds or wants a lock.
	 */
	boolean isIdle() {
		return !isHolding() && this.acquirer.isIdle();
	}

	/**
	 * Whether a lease is held, or given back just now.
	 */
	boolean isHolding() {
		return !this.watch.leases().isEmpty() || this.acquirer.isReleasing();
	}

	/**
	 * Grant no locks any longer and stop renewing. Leases that are still held end with
	 * their ttl.
	 */
	@Override
	public void close() {
		grant(false);
		this.watch.close();
	}

	private static CustomizableThreadFactory threads() {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-wait-");
		threads.setDaemon(true);
		return threads;
	}

}
