package org.lockspring.core;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.lockspring.Acquisition;
import org.lockspring.Assumption;
import org.lockspring.BackendLease;
import org.lockspring.HandingOver;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.FencingToken;
import org.lockspring.memory.MemoryLockBackend;

/**
 * A real store in memory whose requests are counted, and which can be cut off.
 */
class ControlledBackend implements LockBackend, HandingOver {

	final MemoryLockBackend store;

	final List<LockAttempt> attempts = new CopyOnWriteArrayList<>();

	final List<String> released = new CopyOnWriteArrayList<>();

	final AtomicInteger renewals = new AtomicInteger();

	final AtomicInteger handOvers = new AtomicInteger();

	final AtomicInteger grants = new AtomicInteger();

	volatile boolean cutOff;

	/** Told of each request, on the thread that makes it. */
	volatile Runnable onRequest = () -> {
	};

	/** Told when the store has renewed, before the answer gets back. */
	volatile Runnable afterRenewal = () -> {
	};

	/** Releases happen at once, but are answered when this is done. */
	volatile CompletableFuture<?> releaseAnswers = CompletableFuture.completedFuture(null);

	/** Hand-overs happen at once, but are answered when this is done. */
	volatile CompletableFuture<?> handOverAnswers = CompletableFuture.completedFuture(null);

	ControlledBackend(MemoryLockBackend store) {
		this.store = store;
	}

	@Override
	public String name() {
		return "controlled";
	}

	@Override
	public boolean supports(LockMode mode) {
		return true;
	}

	@Override
	public Acquisition tryAcquire(LockAttempt attempt) {
		this.attempts.add(attempt);
		requireConnection();
		return counted(this.store.tryAcquire(attempt), attempt);
	}

	@Override
	public CompletionStage<Acquisition> handOver(BackendLease from, LockAttempt attempt) {
		this.handOvers.incrementAndGet();
		requireConnection();
		return this.store.handOver(((Lease) from).delegate, attempt)
			.thenCombine(this.handOverAnswers, (acquisition, done) -> counted(acquisition, attempt));
	}

	private Acquisition counted(Acquisition acquisition, LockAttempt attempt) {
		if (acquisition instanceof Acquisition.Granted granted) {
			this.grants.incrementAndGet();
			return new Acquisition.Granted(new Lease(granted.lease(), attempt.name()));
		}
		return acquisition;
	}

	@Override
	public List<Assumption> assumptions(LockMode mode) {
		return List.of();
	}

	private void requireConnection() {
		this.onRequest.run();
		if (this.cutOff) {
			throw new LockUnavailableException("The store is cut off", null, true);
		}
	}

	private final class Lease implements BackendLease {

		private final BackendLease delegate;

		private final String name;

		private volatile long validUntil;

		Lease(BackendLease delegate, String name) {
			this.delegate = delegate;
			this.name = name;
			this.validUntil = delegate.validUntil();
		}

		@Override
		public FencingToken fencingToken() {
			return this.delegate.fencingToken();
		}

		@Override
		public long validUntil() {
			return this.validUntil;
		}

		@Override
		public Ownership renew(Duration ttl) {
			ControlledBackend.this.renewals.incrementAndGet();
			requireConnection();
			Ownership ownership = this.delegate.renew(ttl);
			ControlledBackend.this.afterRenewal.run();
			this.validUntil = this.delegate.validUntil();
			return ownership;
		}

		@Override
		public CompletionStage<Ownership> release() {
			ControlledBackend.this.released.add(this.name);
			requireConnection();
			CompletionStage<Ownership> answer = this.delegate.release();
			return ControlledBackend.this.releaseAnswers.thenCombine(answer, (done, ownership) -> ownership);
		}

	}

}
