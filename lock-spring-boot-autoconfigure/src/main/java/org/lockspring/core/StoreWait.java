package org.lockspring.core;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockBackend;
import org.lockspring.LockException;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.ReleaseSignals;

/**
 * The wait of the one caller of this process who talks to the store, between two tries:
 * until the lock is said to be released, or its holder's time to live is over, whichever
 * comes first. Since signals may be missed, and a holder may release without one, it also
 * asks from time to time, at random.
 */
final class StoreWait implements AutoCloseable {

	private static final long FIRST_PAUSE = Duration.ofMillis(10).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofMillis(200).toNanos();

	private static final long LONGEST_PAUSE_WITH_SIGNALS = Duration.ofMillis(800).toNanos();

	private static final long SHORTEST_PAUSE = Duration.ofMillis(1).toNanos();

	private final LockBackend backend;

	private String name;

	private final long deadline;

	private final Yielding yielding;

	private final long start = System.nanoTime();

	private final Semaphore signals = new Semaphore(0);

	private ReleaseSignals.@Nullable Subscription subscription;

	private long pause = FIRST_PAUSE;

	StoreWait(LockBackend backend, String name, long deadline, Yielding yielding) {
		this.backend = backend;
		this.name = name;
		this.deadline = deadline;
		this.yielding = yielding;
	}

	/**
	 * Wait until another try makes sense.
	 * @param failure how the last one ended
	 * @param retryAfter when the holder's entry ends, if it is known
	 * @return whether there is time for another try
	 */
	boolean forNextTry(LockException failure, @Nullable Duration retryAfter) throws InterruptedException {
		long left = this.deadline - System.nanoTime();
		if (left <= 0) {
			return false;
		}
		if (failure instanceof LockNotAcquiredException && this.subscription == null && subscribe()) {
			// It may have been released before we listened
			return true;
		}
		long random = ThreadLocalRandom.current().nextLong(this.pause / 2, this.pause + 1);
		long holderEnds = (retryAfter != null) ? Math.max(retryAfter.toNanos(), SHORTEST_PAUSE) : Long.MAX_VALUE;
		if (this.signals.tryAcquire(Math.min(left, Math.min(random, holderEnds)), TimeUnit.NANOSECONDS)) {
			sleep(this.yielding.handicap(System.nanoTime() - this.start));
			this.signals.drainPermits();
		}
		this.pause = Math.min(2 * this.pause, (this.subscription != null) ? LONGEST_PAUSE_WITH_SIGNALS : LONGEST_PAUSE);
		return true;
	}

	/**
	 * Wait for this lock from now on.
	 */
	void watch(String name) {
		if (!name.equals(this.name)) {
			close();
			this.subscription = null;
			this.name = name;
		}
	}

	/**
	 * Let waiters of other processes, who were told of the release just now, come first.
	 */
	void letOthersGoFirst() throws InterruptedException {
		sleep(this.yielding.pause());
	}

	private void sleep(long nanos) throws InterruptedException {
		TimeUnit.NANOSECONDS.sleep(Math.min(nanos, Math.max(0, this.deadline - System.nanoTime())));
	}

	private boolean subscribe() {
		if (this.backend instanceof ReleaseSignals announcing) {
			this.subscription = announcing.subscribe(this.name, this.signals::release);
			if (this.subscription != null) {
				this.pause = LONGEST_PAUSE_WITH_SIGNALS;
			}
		}
		return this.subscription != null;
	}

	@Override
	public void close() {
		if (this.subscription != null) {
			this.subscription.close();
		}
	}

}
