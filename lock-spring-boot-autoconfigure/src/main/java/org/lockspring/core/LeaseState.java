package org.lockspring.core;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockLostException;

/**
 * What has become of one lease, and how many hold it. A lease that was invalid once stays
 * so; it is lost at most once, and not after it was closed.
 */
final class LeaseState {

	private static final Now HELD = new Now(false, null);

	/** The deadline has passed, and nobody was told yet. */
	private static final Now EXPIRED = new Now(false, null);

	private final AtomicReference<Now> now = new AtomicReference<>(HELD);

	private final AtomicInteger holds = new AtomicInteger(1);

	/**
	 * Whether the lease is neither closed nor lost, nor past its deadline.
	 * @param validUntil the deadline as it is now, on the monotonic clock
	 */
	@SuppressWarnings("ReferenceEquality") // each state is one object
	boolean isValid(long validUntil) {
		if (now() != HELD) {
			return false;
		}
		if (validUntil - System.nanoTime() > 0) {
			return true;
		}
		// The answer to a late renewal must not make it valid again
		this.now.compareAndSet(HELD, EXPIRED);
		return false;
	}

	/**
	 * Turn invalid.
	 * @return whether this is the loss to tell
	 */
	boolean lose(LockLostException lost) {
		Now before = this.now.getAndUpdate((current) -> current.isOpen() ? new Now(false, lost) : current);
		return before.isOpen();
	}

	/**
	 * Turn invalid for good.
	 * @param validUntil the deadline, on the monotonic clock
	 * @return whether it was valid until now
	 */
	@SuppressWarnings("ReferenceEquality")
	boolean close(long validUntil) {
		Now before = this.now.getAndUpdate((current) -> new Now(true, current.loss));
		return before == HELD && validUntil - System.nanoTime() > 0;
	}

	boolean isClosed() {
		return now().closed;
	}

	@Nullable LockLostException loss() {
		return now().loss;
	}

	private Now now() {
		return Objects.requireNonNull(this.now.get());
	}

	/**
	 * Count one more holder, unless the last one has left already.
	 */
	boolean enter() {
		return this.holds.getAndUpdate((count) -> (count > 0) ? count + 1 : count) > 0;
	}

	/**
	 * Count one holder less, unless it is the last one.
	 * @return whether it is the last one, who counts until it {@linkplain #leave leaves}
	 */
	boolean leaveUnlessLast() {
		return this.holds.getAndUpdate((count) -> (count > 1) ? count - 1 : count) == 1;
	}

	/**
	 * Count one holder less.
	 * @return whether it was the last one
	 */
	boolean leave() {
		return this.holds.getAndUpdate((count) -> Math.max(0, count - 1)) == 1;
	}

	/**
	 * Leave if nobody else holds the lease.
	 * @return whether it was the last one
	 */
	boolean leaveIfAlone() {
		return this.holds.compareAndSet(1, 0);
	}

	private static final class Now {

		private final boolean closed;

		private final @Nullable LockLostException loss;

		Now(boolean closed, @Nullable LockLostException loss) {
			this.closed = closed;
			this.loss = loss;
		}

		boolean isOpen() {
			return !this.closed && this.loss == null;
		}

	}

}
