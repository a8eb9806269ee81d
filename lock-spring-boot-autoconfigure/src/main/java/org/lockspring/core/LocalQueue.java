package org.lockspring.core;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.core.WaitingLine.Waiter;

/**
 * The callers of this process that want one lock, in the order they came. Only the one
 * whose turn it is talks to the store, or who passes it on. Nothing is kept for a lock
 * that nobody wants.
 * <p>
 * A line is changed only inside {@code compute} on its name, which is atomic.
 */
final class LocalQueue {

	private final ConcurrentMap<String, WaitingLine> lines = new ConcurrentHashMap<>();

	private final HandOverLimits limits;

	private final Parking parking;

	private final Executor late;

	/**
	 * Create a queue.
	 * @param limits how long this process may keep a lock
	 * @param late gives back what the store grants when nobody waits for it any longer
	 */
	LocalQueue(HandOverLimits limits, Executor late) {
		this(limits, late, Parking.THREADS);
	}

	LocalQueue(HandOverLimits limits, Executor late, Parking parking) {
		this.limits = limits;
		this.late = late;
		this.parking = parking;
	}

	/**
	 * Wait for the turn.
	 * @param name the lock's full name
	 * @param attempt what a holder of the same mode that hands over asks the store for;
	 * {@code null} if nobody shall
	 * @param deadline when to give up, on the monotonic clock
	 * @return the turn; {@code null} if it did not come in time
	 * @throws InterruptedException if interrupted while waiting; nothing is left behind
	 */
	@Nullable Turn enter(String name, @Nullable LockAttempt attempt, long deadline) throws InterruptedException {
		Turn first = new Turn(name, null, Yielding.NO);
		WaitingLine line = this.lines.putIfAbsent(name, new WaitingLine(first, this.parking));
		return (line != null) ? await(new Waiter(name, attempt), deadline) : first;
	}

	private @Nullable Turn await(Waiter me, long deadline) throws InterruptedException {
		this.lines.compute(me.name, (name, line) -> WaitingLine.join(line, me, this.parking));
		while (true) {
			Turn turn = me.turn;
			if (turn != null && turn.isReady()) {
				return turn;
			}
			long left = deadline - System.nanoTime();
			if (left <= 0) {
				Turn last = giveUp(me);
				if (last == null || last.isReady()) {
					return last;
				}
				refuse(last);
				return null;
			}
			this.parking.park(this, Math.max(1, Math.min(left, untilHolderEnds(me.name))));
			if (this.parking.interrupted()) {
				refuse(giveUp(me));
				throw new InterruptedException();
			}
			this.lines.computeIfPresent(me.name, (name, line) -> line.replaceLostHolder());
		}
	}

	/** The turn may have come in the last moment. */
	private @Nullable Turn giveUp(Waiter me) {
		this.lines.computeIfPresent(me.name, (name, line) -> {
			line.drop(me);
			return line;
		});
		return me.turn;
	}

	/**
	 * An entry that came with the turn, or is still to come, would be nobody's. The turn
	 * ends when it is given back: the next one would find the lock busy before that.
	 */
	private void refuse(@Nullable Turn turn) {
		Inheritance inheritance = (turn != null) ? turn.inheritance : null;
		if (inheritance == null) {
			leave(turn);
			return;
		}
		try {
			inheritance.release(this.late).whenComplete((done, ex) -> leave(turn));
		}
		catch (RuntimeException | Error ex) {
			leave(turn);
			throw ex;
		}
	}

	private long untilHolderEnds(String name) {
		WaitingLine line = this.lines.get(name);
		return (line != null) ? line.current.untilHolderEnds() : Long.MAX_VALUE;
	}

	/**
	 * Tell whose the turn is now, so that waiters can see it end.
	 */
	void hold(Turn turn, HeldLease holder) {
		turn.hold(holder);
		wakeNext(turn);
	}

	/**
	 * Have the next in line look at the holder of the turn.
	 */
	void wakeNext(Turn turn) {
		WaitingLine line = this.lines.get(turn.name);
		Waiter next = (line != null) ? line.next : null;
		if (next != null) {
			this.parking.unpark(next.thread);
		}
	}

	/**
	 * Pass the turn on together with the entry, if the next in line can use it and others
	 * have not waited too long.
	 * @param request asks the store on behalf of the next holder, who is woken by the
	 * answer; {@code null} if there is nothing to ask
	 * @return whether it was passed on
	 */
	boolean handOver(Turn turn, LockMode mode, BackendLease entry,
			@Nullable Function<LockAttempt, CompletionStage<Acquisition>> request) {
		CompletableFuture<Acquisition> answer = (request != null) ? new CompletableFuture<>() : null;
		Waiter[] served = new Waiter[1];
		this.lines.computeIfPresent(turn.name, (name, line) -> {
			Waiter next = line.next;
			if (line.current == turn && next != null && next.wants(mode) && this.limits.allow(turn)) {
				line.pass(new Turn(name, new Inheritance(entry, turn, answer), Yielding.NO));
				served[0] = next;
			}
			return line;
		});
		Waiter next = served[0];
		if (next == null) {
			return false;
		}
		if (request == null || answer == null) {
			this.parking.unpark(next.thread);
			return true;
		}
		try {
			request.apply(Objects.requireNonNull(next.attempt))
				.whenComplete((acquisition, ex) -> answered(next, answer, acquisition, ex));
		}
		catch (RuntimeException | Error ex) {
			// It is the next holder whose request has failed
			answered(next, answer, null, ex);
		}
		return true;
	}

	private void answered(Waiter next, CompletableFuture<Acquisition> answer, @Nullable Acquisition acquisition,
			@Nullable Throwable failure) {
		if (acquisition != null) {
			answer.complete(acquisition);
		}
		else {
			answer.completeExceptionally(
					(failure != null) ? failure : new IllegalStateException("The backend answered nothing"));
		}
		this.parking.unpark(next.thread);
	}

	/**
	 * End the turn; the next in line has it, and asks the store.
	 */
	void leave(@Nullable Turn turn) {
		if (turn != null) {
			this.lines.computeIfPresent(turn.name, (name, line) -> {
				if (line.current != turn) {
					return line;
				}
				return line.serveNext(new Turn(name, null, Yielding.after(turn, this.limits)));
			});
		}
	}

	boolean isEmpty() {
		return this.lines.isEmpty();
	}

}
