package org.lockspring.core;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import org.lockspring.Acquisition;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockException;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;

/**
 * Asks the store until it grants or the wait time is over. Polls with a growing, random
 * pause.
 */
final class LeaseAcquirer {

	private static final long FIRST_PAUSE = Duration.ofMillis(10).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofMillis(200).toNanos();

	private final LockBackends backends;

	private final StoredNames names;

	LeaseAcquirer(LockBackends backends, StoredNames names) {
		this.backends = backends;
		this.names = names;
	}

	/**
	 * Acquire.
	 * @param request a complete request
	 * @return a lease that is valid
	 */
	HeldLease acquire(LockRequest request) {
		LockBackend backend = this.backends.require(request.mode());
		String name = this.names.of(request.key());
		long start = System.nanoTime();
		long budget = Objects.requireNonNull(request.waitTime()).toNanos();
		long pause = FIRST_PAUSE;
		while (true) {
			LockException failure;
			long longest = Long.MAX_VALUE;
			try {
				Acquisition acquisition = tryOnce(backend, request, name);
				if (acquisition instanceof Acquisition.Granted granted) {
					HeldLease lease = new HeldLease(this, request, name, granted.lease());
					if (lease.isValid()) {
						return lease;
					}
					lease.release();
					failure = late(request);
				}
				else {
					longest = retryAfter((Acquisition.Busy) acquisition);
					failure = busy(request);
				}
			}
			catch (LockUnavailableException ex) {
				if (!ex.isRetryable()) {
					throw ex;
				}
				failure = ex;
			}
			long left = budget - (System.nanoTime() - start);
			if (left <= 0) {
				throw failure;
			}
			long random = ThreadLocalRandom.current().nextLong(pause / 2, pause + 1);
			sleep(Math.min(left, Math.min(longest, random)), request);
			pause = Math.min(2 * pause, LONGEST_PAUSE);
		}
	}

	private static Acquisition tryOnce(LockBackend backend, LockRequest request, String name) {
		// A new owner for each try: a late clean-up of one try must not end the next
		String owner = UUID.randomUUID().toString();
		Duration ttl = Objects.requireNonNull(request.ttl());
		return backend.tryAcquire(new LockAttempt(name, owner, request.mode(), ttl, request.description()));
	}

	private static long retryAfter(Acquisition.Busy busy) {
		Duration retryAfter = busy.retryAfter();
		return (retryAfter != null) ? Math.max(retryAfter.toNanos(), Duration.ofMillis(1).toNanos()) : Long.MAX_VALUE;
	}

	private static void sleep(long nanos, LockRequest request) {
		try {
			Thread.sleep(Duration.ofNanos(nanos).toMillis(), (int) (nanos % 1_000_000));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockNotAcquiredException("Interrupted while waiting for lock " + request.description(), ex);
		}
	}

	private static LockNotAcquiredException busy(LockRequest request) {
		return new LockNotAcquiredException("Lock %s is held elsewhere and was not obtained within %s"
			.formatted(request.description(), text(request.waitTime())));
	}

	private static LockUnavailableException late(LockRequest request) {
		return new LockUnavailableException(
				"Lock %s was granted, but the answer came after its ttl of %s was over: it was given back"
					.formatted(request.description(), text(request.ttl())),
				null, true);
	}

	private static String text(@Nullable Duration duration) {
		return (duration != null) ? duration.toMillis() + " ms" : "no time";
	}

}
