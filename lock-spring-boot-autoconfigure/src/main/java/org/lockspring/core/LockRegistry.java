package org.lockspring.core;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;

/**
 * Locks in the shape of {@link java.util.concurrent.locks.Lock}, for code that is written
 * against it. Nothing is kept per key.
 * <p>
 * The shape hides what matters: a lease can be lost while it is held, and {@code Lock}
 * has no way to say so before {@code unlock()}. Prefer {@link LockTemplate}. Locks belong
 * to the thread that took them and are reentrant; conditions are not supported. As
 * everywhere, the time to live bounds the work of a holder.
 *
 * @since 0.1.0
 */
public class LockRegistry {

	/** How long one try of an unbounded wait takes. */
	private static final Duration LONG_WAIT = Duration.ofHours(1);

	private final LockOperations operations;

	private final LockMode mode;

	// Not static: two registries must not see each other's leases
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable Map<String, Deque<LockLease>>> held = new ThreadLocal<>();

	/**
	 * Create a registry.
	 * @param operations takes the locks
	 * @param mode what is at stake
	 */
	public LockRegistry(LockOperations operations, LockMode mode) {
		this.operations = operations;
		this.mode = mode;
	}

	/**
	 * Return the lock of a key. Two locks of equal keys are the same lock.
	 * @param key the key, by its {@code toString()}
	 * @return the lock; its methods throw {@link org.lockspring.LockUnavailableException}
	 * if the store does not answer, and {@code unlock()} throws {@link LockLostException}
	 * if a lock of {@link LockMode#CORRECTNESS} was lost
	 * @throws org.lockspring.LockKeyException if the key is blank
	 */
	public Lock obtain(Object key) {
		return new LeaseLock(LockRequest.of(key.toString()).withMode(this.mode));
	}

	private final class LeaseLock implements Lock {

		private final LockRequest request;

		LeaseLock(LockRequest request) {
			this.request = request;
		}

		@Override
		public void lock() {
			boolean interrupted = false;
			try {
				while (true) {
					try {
						if (tryLock(LONG_WAIT)) {
							return;
						}
					}
					catch (InterruptedException ex) {
						interrupted = true;
					}
				}
			}
			finally {
				if (interrupted) {
					Thread.currentThread().interrupt();
				}
			}
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			boolean locked = false;
			while (!locked) {
				locked = tryLock(LONG_WAIT);
			}
		}

		@Override
		public boolean tryLock() {
			return remember(
					LockRegistry.this.operations.tryAcquire(this.request.withWaitTime(Duration.ZERO)).orElse(null));
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			long nanos = Math.min(Math.max(0, unit.toNanos(time)), Duration.ofHours(24).toNanos());
			return tryLock(Duration.ofNanos(nanos));
		}

		private boolean tryLock(Duration waitTime) throws InterruptedException {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			try {
				return remember(
						LockRegistry.this.operations.tryAcquire(this.request.withWaitTime(waitTime)).orElse(null));
			}
			catch (LockNotAcquiredException ex) {
				// Only an interrupt makes tryAcquire throw this
				if (Thread.interrupted()) {
					throw (InterruptedException) new InterruptedException(ex.getMessage()).initCause(ex);
				}
				throw ex;
			}
		}

		private boolean remember(@Nullable LockLease lease) {
			if (lease == null) {
				return false;
			}
			Map<String, Deque<LockLease>> leases = LockRegistry.this.held.get();
			if (leases == null) {
				leases = new HashMap<>();
				LockRegistry.this.held.set(leases);
			}
			leases.computeIfAbsent(this.request.key(), (key) -> new ArrayDeque<>()).push(lease);
			return true;
		}

		@Override
		public void unlock() {
			Map<String, Deque<LockLease>> leases = LockRegistry.this.held.get();
			Deque<LockLease> mine = (leases != null) ? leases.get(this.request.key()) : null;
			if (leases == null || mine == null) {
				throw new IllegalMonitorStateException("The lock '" + this.request.key() + "' is not held by thread "
						+ Thread.currentThread().getName());
			}
			LockLease lease = mine.pop();
			if (mine.isEmpty()) {
				leases.remove(this.request.key());
			}
			if (leases.isEmpty()) {
				LockRegistry.this.held.remove();
			}
			if (lease instanceof LeaseHandle handle) {
				handle.closeOrThrow();
				return;
			}
			boolean lost = !lease.isValid();
			lease.close();
			if (lost && lease.mode() == LockMode.CORRECTNESS) {
				throw new LockLostException("Lock '" + lease.key() + "' was lost before it was unlocked");
			}
		}

		@Override
		public Condition newCondition() {
			throw new UnsupportedOperationException("A distributed lock has no conditions");
		}

		@Override
		public String toString() {
			return "Lock '" + this.request.key() + "'";
		}

	}

}
