package org.lockspring.core;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease;
import org.lockspring.BatchRenewal;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.fencing.FencingToken;

/**
 * The state of one acquisition: held, then lost or not, then closed. Re-entries share it
 * and are counted; the last one to leave gives the entry back.
 */
final class HeldLease implements ManagedLease {

	private final LeaseAcquirer origin;

	private final LockRequest request;

	private final String name;

	private final BackendLease entry;

	private final Turn turn;

	private final LeaseRenewal renewal;

	private final long acquiredAt = System.nanoTime();

	private final LeaseState state = new LeaseState();

	private final BodyInterrupt interrupt = new BodyInterrupt();

	private final LossListeners lossListeners = new LossListeners();

	private volatile boolean vouched;

	/** The loss that the deadline told, without asking the store. */
	private volatile @Nullable LockLostException overdue;

	private volatile boolean unused;

	/** What the body's own {@link #close()} has found. */
	private volatile @Nullable LockLostException lostAtClose;

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
		return this.state.isValid(this.entry.validUntil());
	}

	@Override
	public Duration remaining() {
		return isValid() ? Duration.ofNanos(Math.max(0, this.entry.validUntil() - System.nanoTime())) : Duration.ZERO;
	}

	@Override
	public void extend(Duration ttl) {
		this.request.withMinHold(Duration.ZERO).withTtl(ttl); // checks the range
		if (isClosed()) {
			throw closed();
		}
		LockLostException known = this.state.loss();
		if (known != null) {
			throw new LockLostException(String.valueOf(known.getMessage()), known);
		}
		if (!isValid()) {
			throw loss(Ownership.HELD);
		}
		Ownership ownership = this.renewal.extend(ttl);
		if (ownership == null || (ownership != Ownership.HELD && isClosed())) {
			throw closed();
		}
		if (ownership != Ownership.HELD || !(isValid() || isClosed())) {
			throw loss(ownership);
		}
	}

	private LockLostException loss(Ownership found) {
		LockLostException lost = lost(found);
		lose(lost);
		return lost;
	}

	private IllegalStateException closed() {
		return new IllegalStateException("The lease of lock " + this.request.description() + " was closed");
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
		if (this.state.lose(lost)) {
			if (this.origin.settings().onLoss() == OnLoss.INTERRUPT) {
				this.interrupt.interrupt();
			}
			tell(lost);
		}
	}

	private void tell(LockLostException lost) {
		this.lossListeners.tell(lost);
		this.origin.lost(this.turn,
				new LockLostEvent(key(), this.name, mode(), fencingToken(), this.request.caller(), lost));
	}

	/**
	 * Notice that the deadline has passed.
	 * @return whether the lease needs watching any longer
	 */
	boolean checkDeadline() {
		boolean valid = isValid();
		if (!valid) {
			LockLostException lost = lost(Ownership.HELD);
			this.overdue = lost;
			lose(lost);
		}
		return valid;
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

	void renewalChanged() {
		this.origin.look(this);
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
		return this.state.isClosed();
	}

	boolean isVouched() {
		return this.vouched;
	}

	/**
	 * Hold the lease once more, unless the last one has left already.
	 */
	boolean enter() {
		return this.state.enter();
	}

	/**
	 * Leave, unless nobody else holds the lease.
	 * @return whether nobody does; who asks counts until it {@linkplain #leave leaves}
	 */
	boolean leaveUnlessLast() {
		return this.state.leaveUnlessLast();
	}

	/**
	 * Leave.
	 * @return whether nobody else holds it, so that it has to be {@link #release()
	 * released}
	 */
	boolean leave() {
		return this.state.leave();
	}

	/**
	 * Release at once, for a body that wants to end its lock early. Who has re-entered
	 * the lock does not end that of the call around it.
	 */
	@Override
	public void close() {
		if (this.state.leaveIfAlone()) {
			this.lostAtClose = release();
		}
	}

	/**
	 * Return what to tell the caller of a body that has closed the lease itself.
	 */
	@Nullable LockLostException lostAtClose() {
		return this.lostAtClose;
	}

	/**
	 * Give the entry back. Waits for the store's answer in CORRECTNESS, and where there
	 * is a loss to explain.
	 * @return what to tell the caller if the lock was lost while it was held
	 */
	@Nullable LockLostException release() {
		// A client gives up a request of an interrupted thread, with an unknown outcome
		boolean interrupted = Thread.interrupted();
		try {
			return releaseNow();
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private @Nullable LockLostException releaseNow() {
		boolean wasValid = this.state.close(this.entry.validUntil());
		long keepUntil = this.acquiredAt + (this.unused ? 0 : this.request.minHold().toNanos());
		this.origin.beginRelease(this);
		try {
			return settle(wasValid,
					new LeaseRelease(this, this.origin, this.entry, this.turn, keepUntil).run(wasValid));
		}
		finally {
			// Not before a loss was told: its listeners may need what a shutdown closes
			// next
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

	private @Nullable LockLostException settle(boolean wasValid, Ownership ownership) {
		if (wasValid && ownership == Ownership.HELD) {
			return null;
		}
		LockLostException known = this.state.loss();
		if (known == null) {
			return foundLost(ownership);
		}
		boolean storeKnowsMore = known.equals(this.overdue) && ownership != Ownership.HELD;
		return storeKnowsMore ? lost(ownership, known) : known;
	}

	/**
	 * Tell of a loss that was found when nobody held the lease any longer.
	 */
	LockLostException foundLost(Ownership ownership) {
		LockLostException lost = lost(ownership);
		tell(lost);
		return lost;
	}

	String description() {
		return this.request.description();
	}

	/**
	 * The JVM would make up a number for each lease, which takes longer than all else
	 * that the watch does with it. Not of the name alone, which users choose.
	 */
	@Override
	public int hashCode() {
		return 31 * this.name.hashCode() + Long.hashCode(this.acquiredAt);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	private LockLostException lost(Ownership ownership) {
		return lost(ownership, null);
	}

	private LockLostException lost(Ownership ownership, @Nullable LockLostException known) {
		long heldMillis = Duration.ofNanos(System.nanoTime() - this.acquiredAt).toMillis();
		long ttlMillis = (this.request.ttl() != null) ? this.request.ttl().toMillis() : 0;
		String what = switch (ownership) {
			case TAKEN -> "it ended and another holder has it now";
			case EXPIRED -> "its entry expired or was removed from the store";
			case HELD -> "its time to live ran out";
		};
		String remedy = (heldMillis >= ttlMillis && !this.request.autoRenew())
				? ". Give it a ttl longer than its body, or renew it" : "";
		return new LockLostException("Lock %s was lost while held: %s (held %d ms, ttl %d ms)%s"
			.formatted(this.request.description(), what, heldMillis, ttlMillis, remedy), known);
	}

}
