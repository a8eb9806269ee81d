package org.lockspring.core;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease;
import org.lockspring.BatchRenewal;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LocalQueue.Turn;
import org.lockspring.fencing.FencingToken;

/**
 * The state of one acquisition: held, then lost or not, then closed. Re-entries share it
 * and are counted; the last one to leave gives the entry back.
 */
final class HeldLease implements ManagedLease {

	private static final Log logger = LogFactory.getLog(LockTemplate.class);

	private final LeaseAcquirer origin;

	private final LockRequest request;

	private final String name;

	private final BackendLease entry;

	private final Turn turn;

	private final LeaseRenewal renewal;

	private final long acquiredAt = System.nanoTime();

	private final AtomicReference<@Nullable LockLostException> loss = new AtomicReference<>();

	private final BodyInterrupt interrupt = new BodyInterrupt();

	private final LossListeners lossListeners = new LossListeners();

	private final AtomicInteger holds = new AtomicInteger(1);

	private volatile boolean closed;

	private volatile boolean vouched;

	private volatile boolean unused;

	HeldLease(LeaseAcquirer origin, LockRequest request, String name, BackendLease entry, Turn turn) {
		this.origin = origin;
		this.request = request;
		this.name = name;
		this.entry = entry;
		this.turn = turn;
		this.renewal = new LeaseRenewal(this, entry, request, origin.settings().maxHold());
	}

	@Override
	public String key() {
		return this.request.key();
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public LockMode mode() {
		return this.request.mode();
	}

	@Override
	public @Nullable FencingToken fencingToken() {
		return this.entry.fencingToken();
	}

	@Override
	public boolean isValid() {
		return !this.closed && this.loss.get() == null && this.entry.validUntil() - System.nanoTime() > 0;
	}

	@Override
	public Duration remaining() {
		return isValid() ? Duration.ofNanos(Math.max(0, this.entry.validUntil() - System.nanoTime())) : Duration.ZERO;
	}

	@Override
	public void extend(Duration ttl) {
		this.request.withMinHold(Duration.ZERO).withTtl(ttl); // checks the range
		if (this.closed) {
			throw new IllegalStateException("The lease of lock " + this.request.description() + " was closed");
		}
		LockLostException known = this.loss.get();
		if (known != null) {
			throw new LockLostException(String.valueOf(known.getMessage()), known);
		}
		Ownership ownership = this.renewal.extend(ttl);
		if (ownership != Ownership.HELD) {
			LockLostException lost = lost(ownership);
			lose(lost);
			throw lost;
		}
	}

	@Override
	public void lose(RuntimeException cause) {
		lose((cause instanceof LockLostException lost) ? lost : new LockLostException(
				"Lock %s was lost: %s".formatted(this.request.description(), cause.getMessage()), cause));
	}

	void lose(Ownership found) {
		lose(lost(found));
	}

	private void lose(LockLostException lost) {
		if (!this.closed && this.loss.compareAndSet(null, lost)) {
			if (this.origin.settings().onLoss() == OnLoss.INTERRUPT) {
				this.interrupt.interrupt();
			}
			this.lossListeners.tell(lost);
			this.origin.lost(new LockLostEvent(key(), this.name, mode(), fencingToken(), this.request.caller(), lost));
		}
	}

	/**
	 * Notice that the deadline has passed.
	 * @return whether the lease needs watching any longer
	 */
	boolean checkDeadline() {
		if (!isValid() && !this.closed) {
			lose(Ownership.HELD);
		}
		return isValid();
	}

	@Override
	public void vouch() {
		this.vouched = true;
	}

	@Override
	public void retractVouch() {
		this.vouched = false;
	}

	/**
	 * Whether the lease was acquired there: equal keys elsewhere may be other locks.
	 */
	boolean isFrom(LeaseAcquirer acquirer) {
		return this.origin == acquirer;
	}

	LeaseRenewal renewal() {
		return this.renewal;
	}

	@Nullable BatchRenewal batchRenewal() {
		return this.origin.batchRenewal(mode());
	}

	BodyInterrupt interrupt() {
		return this.interrupt;
	}

	LossListeners lossListeners() {
		return this.lossListeners;
	}

	boolean isClosed() {
		return this.closed;
	}

	boolean isVouched() {
		return this.vouched;
	}

	/**
	 * Count one more holder, unless the last one has left already.
	 */
	boolean enter() {
		return this.holds.getAndUpdate((count) -> (count > 0) ? count + 1 : 0) > 0;
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
	 * @return whether it was the last one, who has to {@link #release()}
	 */
	boolean leave() {
		return this.holds.decrementAndGet() == 0;
	}

	@Override
	public void close() {
		if (leave()) {
			release();
		}
	}

	/**
	 * Give the entry back. Waits for the store's answer in CORRECTNESS only.
	 * @return what to tell the caller if the lock was lost while it was held
	 */
	@Nullable LockLostException release() {
		boolean wasValid = isValid();
		this.closed = true;
		this.origin.beginRelease(this);
		boolean passedOn = false;
		try {
			boolean keep = minHoldLeft().toMillis() > 0;
			passedOn = wasValid && !keep && this.origin.handOver(this, this.entry, this.turn);
			return settle(wasValid, passedOn ? Ownership.HELD : giveBack());
		}
		catch (LockUnavailableException ex) {
			logger.warn("Lock %s could not be released and ends with its ttl: %s".formatted(this.request.description(),
					ex.getMessage()));
			return settle(wasValid, Ownership.HELD);
		}
		finally {
			if (!passedOn) {
				this.origin.leave(this.turn);
			}
			this.origin.endRelease();
		}
	}

	/**
	 * Give back at once what no body has run with.
	 */
	void discard() {
		this.unused = true;
		release();
	}

	private Duration minHoldLeft() {
		return this.unused ? Duration.ZERO : this.request.minHold().minusNanos(System.nanoTime() - this.acquiredAt);
	}

	private Ownership giveBack() {
		Duration left = minHoldLeft();
		if (left.toMillis() > 0) {
			Ownership ownership = this.renewal.last(left);
			logger.debug("Lock %s is kept for another %s ms".formatted(this.request.description(), left.toMillis()));
			return ownership;
		}
		CompletionStage<Ownership> answer = this.entry.release();
		if (mode() == LockMode.CORRECTNESS || answer.toCompletableFuture().isDone()) {
			return join(answer);
		}
		this.origin.beginRelease();
		answer.whenComplete((ownership, ex) -> {
			this.origin.endRelease();
			if (ex != null) {
				logger.warn("Lock %s could not be released and ends with its ttl: %s"
					.formatted(this.request.description(), ex));
			}
			else if (ownership != Ownership.HELD) {
				logger.warn(lost(ownership).getMessage());
			}
		});
		return Ownership.HELD;
	}

	private static Ownership join(CompletionStage<Ownership> answer) {
		try {
			return answer.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof LockUnavailableException unavailable) {
				throw unavailable;
			}
			throw ex;
		}
	}

	private @Nullable LockLostException settle(boolean wasValid, Ownership ownership) {
		if (wasValid && ownership == Ownership.HELD) {
			return null;
		}
		LockLostException known = this.loss.get();
		return (known != null) ? known : lost(ownership);
	}

	private LockLostException lost(Ownership ownership) {
		long heldMillis = Duration.ofNanos(System.nanoTime() - this.acquiredAt).toMillis();
		long ttlMillis = (this.request.ttl() != null) ? this.request.ttl().toMillis() : 0;
		String what = switch (ownership) {
			case TAKEN -> "it ended and another holder has it now";
			case EXPIRED -> "its entry expired or was removed from the store";
			case HELD -> "its time to live ran out; nobody else had taken it by the end";
		};
		String remedy = (heldMillis >= ttlMillis) ? ". Give it a ttl longer than its body" : "";
		return new LockLostException("Lock %s was lost while held: %s (held %d ms, ttl %d ms)%s"
			.formatted(this.request.description(), what, heldMillis, ttlMillis, remedy));
	}

}
