package org.lockspring.core;

import java.util.ArrayDeque;
import java.util.Deque;
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

/**
 * The callers of this process that want one lock, in the order they came. Only the one
 * whose turn it is talks to the store, or who passes it on. Nothing is kept for a lock
 * that nobody wants.
 * <p>
 * A line is changed only inside {@code compute} on its name, which is atomic.
 */
final class LocalQueue {

	private final ConcurrentMap<String, Line> lines = new ConcurrentHashMap<>();

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
		Line line = this.lines.putIfAbsent(name, new Line(first, this.parking));
		return (line != null) ? await(new Waiter(name, attempt), deadline) : first;
	}

	private @Nullable Turn await(Waiter me, long deadline) throws InterruptedException {
		this.lines.compute(me.name, (name, line) -> Line.join(line, me, this.parking));
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
		Line line = this.lines.get(name);
		HeldLease holder = (line != null) ? line.current.holder : null;
		return (holder != null && !holder.isClosed()) ? holder.remaining().toNanos() : Long.MAX_VALUE;
	}

	/**
	 * Tell whose the turn is now, so that waiters can see it end.
	 */
	void hold(Turn turn, HeldLease holder) {
		if (turn.anew) {
			turn.since = System.nanoTime();
		}
		turn.holder = holder;
		wakeNext(turn);
	}

	/**
	 * Have the next in line look at the holder of the turn.
	 */
	void wakeNext(Turn turn) {
		Line line = this.lines.get(turn.name);
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

	/**
	 * The right to talk to the store about one lock.
	 */
	static final class Turn {

		private final String name;

		/** What the holder before has left. */
		final @Nullable Inheritance inheritance;

		/** Who shall have a chance first. */
		final Yielding yielding;

		/**
		 * When this process took the lock from the store; waiting for it does not count.
		 */
		volatile long since;

		volatile int passes;

		private volatile boolean anew;

		/** Whether another process was seen to want the lock too. */
		volatile boolean contended;

		private volatile @Nullable HeldLease holder;

		Turn(String name, @Nullable Inheritance inheritance, Yielding yielding) {
			this.name = name;
			this.inheritance = inheritance;
			this.yielding = yielding;
			this.since = (inheritance != null) ? inheritance.from.since : System.nanoTime();
			this.passes = (inheritance != null) ? inheritance.from.passes + 1 : 0;
			this.anew = inheritance == null;
			this.contended = inheritance != null && inheritance.from.contended;
		}

		/** Whether there is nothing to wait for before the holder can go on. */
		private boolean isReady() {
			return this.inheritance == null || this.inheritance.answer() == null || this.inheritance.answer().isDone();
		}

		/**
		 * Count from now on: what was inherited has ended, and the store is asked.
		 */
		void beginAnew() {
			this.anew = true;
			this.passes = 0;
		}

		boolean wasHeld() {
			return this.holder != null;
		}

		private boolean isLost() {
			HeldLease current = this.holder;
			return current != null && !current.isValid() && !current.isClosed();
		}

	}

	/**
	 * An entry that was not released but left to the next holder.
	 *
	 * @param entry that of the holder before
	 * @param from the turn of the holder before
	 * @param answer what the store says to the next holder; {@code null} if it was not
	 * asked
	 */
	record Inheritance(BackendLease entry, Turn from, @Nullable CompletableFuture<Acquisition> answer) {

		/**
		 * Give back what nobody wants any longer.
		 * @param late does so when the answer comes, which may wait for the store
		 * @return completes afterwards
		 */
		CompletionStage<?> release(Executor late) {
			CompletableFuture<Acquisition> asked = this.answer;
			if (asked == null) {
				return this.entry.release();
			}
			if (asked.isDone()) {
				return granted(asked).release();
			}
			return asked.handleAsync((acquisition, ex) -> granted(asked).release(), late)
				.thenCompose(Function.identity());
		}

		/** The next holder's entry, or else the one before, which may be there still. */
		private BackendLease granted(CompletableFuture<Acquisition> answered) {
			return (answered.exceptionally((ex) -> null).join() instanceof Acquisition.Granted granted)
					? granted.lease() : this.entry;
		}

	}

	/**
	 * One thread that waits.
	 */
	private static final class Waiter {

		private final String name;

		private final @Nullable LockAttempt attempt;

		private final Thread thread = Thread.currentThread();

		private volatile @Nullable Turn turn;

		Waiter(String name, @Nullable LockAttempt attempt) {
			this.name = name;
			this.attempt = attempt;
		}

		boolean wants(LockMode mode) {
			return this.attempt != null && this.attempt.mode() == mode;
		}

	}

	/**
	 * Who has the turn, and who waits for it.
	 */
	private static final class Line {

		private final Deque<Waiter> waiters = new ArrayDeque<>(1);

		private final Parking parking;

		private volatile Turn current;

		private volatile @Nullable Waiter next;

		Line(Turn current, Parking parking) {
			this.current = current;
			this.parking = parking;
		}

		static Line join(@Nullable Line line, Waiter waiter, Parking parking) {
			if (line == null) {
				Turn turn = new Turn(waiter.name, null, Yielding.NO);
				waiter.turn = turn;
				return new Line(turn, parking);
			}
			line.waiters.add(waiter);
			line.next = line.waiters.peek();
			return line.replaceLostHolder();
		}

		/** A holder whose lease has ended must not keep its own process out. */
		Line replaceLostHolder() {
			if (this.current.isLost() && !this.waiters.isEmpty()) {
				serveNext(new Turn(this.current.name, null, Yielding.NO));
			}
			return this;
		}

		void drop(Waiter waiter) {
			this.waiters.remove(waiter);
			this.next = this.waiters.peek();
			if (this.next != null) {
				// It now has to watch the holder
				this.parking.unpark(this.next.thread);
			}
		}

		@Nullable Line serveNext(Turn turn) {
			Waiter served = pass(turn);
			if (served == null) {
				return null;
			}
			this.parking.unpark(served.thread);
			return this;
		}

		/** Without waking the next in line yet. */
		@Nullable Waiter pass(Turn turn) {
			Waiter served = this.waiters.poll();
			this.next = this.waiters.peek();
			if (served != null) {
				this.current = turn;
				served.turn = turn;
			}
			return served;
		}

	}

}
