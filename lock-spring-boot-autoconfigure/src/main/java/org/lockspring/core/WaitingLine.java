package org.lockspring.core;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;

/**
 * Who has the turn, and who waits for it.
 */
final class WaitingLine {

	private final Deque<Waiter> waiters = new ArrayDeque<>(1);

	private final Parking parking;

	volatile Turn current;

	volatile @Nullable Waiter next;

	WaitingLine(Turn current, Parking parking) {
		this.current = current;
		this.parking = parking;
	}

	static WaitingLine join(@Nullable WaitingLine line, Waiter waiter, Parking parking) {
		if (line == null) {
			Turn turn = new Turn(waiter.name, null, Yielding.NO);
			waiter.turn = turn;
			return new WaitingLine(turn, parking);
		}
		line.waiters.add(waiter);
		line.next = line.waiters.peek();
		return line.replaceLostHolder();
	}

	/** A holder whose lease has ended must not keep its own process out. */
	WaitingLine replaceLostHolder() {
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

	@Nullable WaitingLine serveNext(Turn turn) {
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

	/**
	 * One thread that waits.
	 */
	static final class Waiter {

		final String name;

		final @Nullable LockAttempt attempt;

		final Thread thread = Thread.currentThread();

		volatile @Nullable Turn turn;

		Waiter(String name, @Nullable LockAttempt attempt) {
			this.name = name;
			this.attempt = attempt;
		}

		boolean wants(LockMode mode) {
			return this.attempt != null && this.attempt.mode() == mode;
		}

	}

}
