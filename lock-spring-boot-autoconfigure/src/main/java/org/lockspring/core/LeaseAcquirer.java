package org.lockspring.core;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.BatchRenewal;
import org.lockspring.HandingOver;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockException;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;

/**
 * Takes locks: first a place in the line of this process, then the entry in the store.
 * One time budget covers both. Counts the releases that are under way.
 */
final class LeaseAcquirer {

	private static final Log logger = LogFactory.getLog(LockTemplate.class);

	private final LockBackends backends;

	private final LockSettings settings;

	private final StoredNames names;

	private final OwnerIds owners = new OwnerIds();

	private final LocalQueue queue;

	private final LeaseWatch watch;

	private final Consumer<LockLostEvent> losses;

	private final AtomicInteger releasing = new AtomicInteger();

	LeaseAcquirer(LockBackends backends, LockSettings settings, LeaseWatch watch, Executor late,
			Consumer<LockLostEvent> losses) {
		this.backends = backends;
		this.settings = settings;
		this.names = new StoredNames(settings.namespace());
		this.queue = new LocalQueue(settings.handOver(), late);
		this.watch = watch;
		this.losses = losses;
	}

	LockSettings settings() {
		return this.settings;
	}

	/**
	 * Acquire.
	 * @param request a complete request
	 * @return a lease that is valid
	 */
	HeldLease acquire(LockRequest request) {
		LockBackend backend = this.backends.require(request.mode());
		String name = this.names.of(request.key());
		long deadline = System.nanoTime() + Objects.requireNonNull(request.waitTime()).toNanos();
		try {
			LockAttempt attempt = attempt(request, name);
			Turn turn = this.queue.enter(name, attempt, deadline);
			if (turn == null) {
				throw busy(request);
			}
			return acquire(backend, request, attempt, turn, deadline);
		}
		catch (InterruptedException ex) {
			throw interrupted(request, ex);
		}
	}

	/**
	 * Acquire several, all or none.
	 * @param requests complete requests of different keys, in the order of their keys
	 * @return leases that are valid, in the same order
	 */
	List<HeldLease> acquireAll(List<LockRequest> requests) {
		return (requests.size() > 1) ? new GroupAcquisition(this, requests).acquire()
				: List.of(acquire(requests.get(0)));
	}

	/**
	 * Take locks under other identities from now on.
	 */
	void renewOwners() {
		this.owners.renew();
	}

	LockBackend backend(LockRequest request) {
		return this.backends.require(request.mode());
	}

	String name(LockRequest request) {
		return this.names.of(request.key());
	}

	/**
	 * Wait for the turn, without taking over from the holder before.
	 */
	Turn enter(LockRequest request, long deadline) throws InterruptedException {
		Turn turn = this.queue.enter(name(request), null, deadline);
		if (turn == null) {
			throw busy(request);
		}
		return turn;
	}

	/**
	 * Begin to hold what the store has granted.
	 */
	HeldLease hold(LockRequest request, String name, BackendLease entry, Turn turn) {
		try {
			HeldLease lease = new HeldLease(this, request, name, entry, turn);
			this.queue.hold(turn, lease);
			this.watch.add(lease);
			return lease;
		}
		catch (RuntimeException | Error ex) {
			entry.release();
			throw ex;
		}
	}

	private HeldLease acquire(LockBackend backend, LockRequest request, LockAttempt attempt, Turn turn, long deadline)
			throws InterruptedException {
		try {
			return hold(request, attempt.name(), takeEntry(backend, request, attempt, turn, deadline), turn);
		}
		catch (Throwable ex) {
			this.queue.leave(turn);
			throw ex;
		}
	}

	private BackendLease takeEntry(LockBackend backend, LockRequest request, LockAttempt first, Turn turn,
			long deadline) throws InterruptedException {
		LockAttempt attempt = first;
		Inheritance inheritance = turn.inheritance;
		try (StoreWait wait = new StoreWait(backend, first.name(), deadline, turn.yielding)) {
			wait.letOthersGoFirst();
			while (true) {
				LockException failure;
				Duration retryAfter = null;
				try {
					Inheritance inherited = inheritance;
					inheritance = null;
					Acquisition acquisition = (inherited != null) ? inherit(backend, inherited, attempt, turn)
							: takeAnew(backend, attempt, turn);
					if (acquisition instanceof Acquisition.Granted granted) {
						if (granted.lease().validUntil() - System.nanoTime() > 0) {
							return granted.lease();
						}
						granted.lease().release();
						failure = late(request);
					}
					else {
						turn.contended = true;
						retryAfter = ((Acquisition.Busy) acquisition).retryAfter();
						failure = busy(request);
					}
				}
				catch (LockUnavailableException ex) {
					if (!ex.isRetryable()) {
						throw ex;
					}
					failure = ex;
				}
				if (!wait.forNextTry(failure, retryAfter)) {
					throw failure;
				}
				// A new owner for each try: a late clean-up of one must not end the next
				attempt = attempt(request, first.name());
			}
		}
	}

	LockAttempt attempt(LockRequest request, String name) {
		return new LockAttempt(name, this.owners.next(), request.mode(), Objects.requireNonNull(request.ttl()),
				request.description());
	}

	/**
	 * Continue the entry of the holder before. In EFFICIENCY it is the same entry, and
	 * enough of its time to live is as good as all of it; in CORRECTNESS the next holder
	 * needs a token of its own, which the holder before has asked for.
	 */
	private static Acquisition inherit(LockBackend backend, Inheritance inheritance, LockAttempt attempt, Turn turn) {
		try {
			return (inheritance.answer() != null) ? LeaseRelease.join(inheritance.answer())
					: takeOver(backend, inheritance.entry(), attempt, turn);
		}
		catch (RuntimeException | Error ex) {
			inheritance.entry().release();
			throw ex;
		}
	}

	private static Acquisition takeOver(LockBackend backend, BackendLease entry, LockAttempt attempt, Turn turn) {
		long ttl = attempt.ttl().toNanos();
		long left = entry.validUntil() - System.nanoTime();
		boolean enough = left > ttl - ttl / 3 && left <= ttl;
		if (enough || entry.renew(attempt.ttl()) == Ownership.HELD) {
			return new Acquisition.Granted(entry);
		}
		return takeAnew(backend, attempt, turn);
	}

	private static Acquisition takeAnew(LockBackend backend, LockAttempt attempt, Turn turn) {
		turn.beginAnew();
		return backend.tryAcquire(attempt);
	}

	/**
	 * Leave the entry to the next in line of this process.
	 * @return whether there was one who could take it
	 */
	boolean handOver(HeldLease lease, BackendLease entry, Turn turn) {
		return this.backends.require(lease.mode()) instanceof HandingOver backend
				&& this.queue.handOver(turn, lease.mode(), entry,
						(lease.mode() == LockMode.CORRECTNESS) ? (attempt) -> backend.handOver(entry, attempt) : null);
	}

	/**
	 * Let the next in line ask the store.
	 */
	void leave(Turn turn) {
		this.queue.leave(turn);
	}

	/**
	 * Tell that a lease was lost, also to those who wait behind it.
	 */
	void lost(Turn turn, LockLostEvent event) {
		this.queue.wakeNext(turn);
		try {
			this.losses.accept(event);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("A listener failed on the loss of lock '" + event.key() + "'", ex);
		}
	}

	/**
	 * Return the backend of a lease as one that renews in batches.
	 */
	@Nullable BatchRenewal batchRenewal(LockMode mode) {
		return (this.backends.require(mode) instanceof BatchRenewal batching) ? batching : null;
	}

	boolean isIdle() {
		return this.queue.isEmpty();
	}

	/**
	 * Look at a lease when it is due, which has changed.
	 */
	void look(HeldLease lease) {
		this.watch.look(lease);
	}

	/**
	 * Begin to give a lease back. Connections have to stay open until
	 * {@link #endRelease()}.
	 */
	void beginRelease(HeldLease lease) {
		beginRelease();
		this.watch.remove(lease);
	}

	void beginRelease() {
		this.releasing.incrementAndGet();
	}

	void endRelease() {
		this.releasing.decrementAndGet();
	}

	boolean isReleasing() {
		return this.releasing.get() > 0;
	}

	static LockNotAcquiredException interrupted(LockRequest request, InterruptedException ex) {
		Thread.currentThread().interrupt();
		return new LockNotAcquiredException("Interrupted while waiting for lock " + request.description(), ex);
	}

	static LockNotAcquiredException busy(LockRequest request) {
		return new LockNotAcquiredException("Lock %s is held elsewhere and was not obtained within %s"
			.formatted(request.description(), text(request.waitTime())));
	}

	static LockUnavailableException late(LockRequest request) {
		return new LockUnavailableException(
				"Lock %s was granted, but the answer came after its ttl of %s was over: it was given back"
					.formatted(request.description(), text(request.ttl())),
				null, true);
	}

	private static String text(@Nullable Duration duration) {
		return (duration != null) ? duration.toMillis() + " ms" : "no time";
	}

}
