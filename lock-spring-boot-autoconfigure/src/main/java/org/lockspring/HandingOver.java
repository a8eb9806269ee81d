package org.lockspring;

import java.util.concurrent.CompletionStage;

/**
 * A backend whose entry can pass from one owner to the next without being free in
 * between: the waiters of one process then take turns without asking the store each time
 * (lock cohorting, see D. Dice, V. Marathe, N. Shavit,
 * <a href="https://dl.acm.org/doi/10.1145/2370036.2145848">Lock Cohorting</a>, 2012).
 *
 * @since 0.1.0
 */
public interface HandingOver {

	/**
	 * Take the lock, also if it is still held by the given entry, which ends with that.
	 * Idempotent for one owner, as {@link LockBackend#tryAcquire}.
	 * <p>
	 * The holder that leaves asks on behalf of the next one, who is woken by the answer.
	 * A client that can send without waiting should.
	 * @param from the entry of the holder before
	 * @param attempt what to take, with the identity of the next holder
	 * @return completes with granted, in CORRECTNESS with a larger token, or busy if
	 * another process has taken the lock meanwhile; or with
	 * {@link LockUnavailableException} if the store did not answer in the client's time
	 * or refused
	 */
	CompletionStage<Acquisition> handOver(BackendLease from, LockAttempt attempt);

}
