package org.lockspring.core;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockKeyException;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.StaleFencingTokenException;

/**
 * Running code under a lock. Implemented by {@link LockTemplate}; not often used
 * directly, but useful as a type to stub in a test.
 * <p>
 * Every method re-enters: if this call chain holds a valid lease of the same key, that
 * lease serves again, with the same token and without asking the store.
 *
 * @since 0.1.0
 */
public interface LockOperations {

	/**
	 * Run a body under a lock. The body's own exception always wins; what goes wrong with
	 * the lock meanwhile is suppressed into it.
	 * @param request what to lock
	 * @param callback the body
	 * @param <T> the result
	 * @param <E> what the body throws
	 * @return the body's result
	 * @throws E if the body throws it
	 * @throws LockNotAcquiredException if the lock was busy for the whole wait time; the
	 * body did not run
	 * @throws LockUnavailableException if the store did not answer or refused; the body
	 * did not run
	 * @throws StaleFencingTokenException if a guard refused the token of this very
	 * acquisition; the body did not run
	 * @throws LockLostException in CORRECTNESS, if the body ran to its end but ownership
	 * had ended and no guard vouches for what it wrote; or if this call chain holds the
	 * lock already and has lost it, and the body did not run
	 * @throws InvalidLockDefinitionException if CORRECTNESS is asked for where this call
	 * chain holds the lock in EFFICIENCY, or no store serves the mode; the body did not
	 * run
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E;

	/**
	 * Run a body under a lock if it can be had.
	 * @param request what to lock
	 * @param callback the body
	 * @param <T> the result
	 * @param <E> what the body throws
	 * @return the body's result; empty if the lock was busy for the whole wait time, or
	 * if the body returned {@code null}
	 * @throws E if the body throws it
	 * @throws LockUnavailableException as {@link #execute}
	 * @throws LockLostException as {@link #execute}
	 */
	<T, E extends Throwable> Optional<T> tryExecute(LockRequest request, LockCallback<@Nullable T, E> callback)
			throws E;

	/**
	 * Run a body under a lock that stays held until the stage which the body returns is
	 * complete, however it completes. The lock is taken, and waited for, before this
	 * method returns; the lease is bound to the calling thread only while the body itself
	 * runs. A body that throws releases at once.
	 * <p>
	 * Other threads that work for the stage take the lease with them by
	 * {@link org.lockspring.CurrentLock#with}: without it, their transactions are not
	 * fenced. A stage does not end its work: where it is completed early, by
	 * {@code orTimeout} or {@code cancel}, work that goes on has to ask
	 * {@link LockLease#isValid()}.
	 * @param request what to lock
	 * @param callback the body; must not return {@code null}
	 * @param <T> the result
	 * @param <E> what the body throws
	 * @return a future that completes as the body's stage does, after the lock was
	 * released; in CORRECTNESS with {@link LockLostException} where {@link #execute}
	 * would throw it. Cancelling it cancels the body's stage; completing it in another
	 * way does not release the lock
	 * @throws E if the body throws it
	 * @throws LockNotAcquiredException as {@link #execute}
	 * @throws LockUnavailableException as {@link #execute}
	 */
	<T extends @Nullable Object, E extends Throwable> CompletableFuture<T> executeAsync(LockRequest request,
			LockCallback<? extends CompletionStage<T>, E> callback) throws E;

	/**
	 * Run a body under a lock that stays held until the stage which the body returns is
	 * complete, if the lock can be had.
	 * @param request what to lock
	 * @param callback the body; must not return {@code null}
	 * @param <T> the result
	 * @param <E> what the body throws
	 * @return as {@link #executeAsync}; empty if the lock was busy for the whole wait
	 * time
	 * @throws E if the body throws it
	 * @throws LockUnavailableException as {@link #execute}
	 */
	<T extends @Nullable Object, E extends Throwable> Optional<CompletableFuture<T>> tryExecuteAsync(
			LockRequest request, LockCallback<? extends CompletionStage<T>, E> callback) throws E;

	/**
	 * Take a lock that the caller closes, in a {@code finally} block: until it is closed,
	 * by whichever thread, it is bound to the calling thread for
	 * {@link org.lockspring.CurrentLock}, and that thread's transactions are fenced by
	 * it.
	 * @param request what to lock
	 * @return the lease
	 * @throws LockNotAcquiredException if the lock was busy for the whole wait time
	 * @throws LockUnavailableException if the store did not answer or refused
	 * @throws StaleFencingTokenException if a guard refused the token
	 */
	LockLease acquire(LockRequest request);

	/**
	 * Take a lock that the caller closes, if it can be had.
	 * @param request what to lock
	 * @return the lease; empty if the lock was busy for the whole wait time
	 * @throws LockUnavailableException as {@link #acquire}
	 */
	Optional<LockLease> tryAcquire(LockRequest request);

	/**
	 * Run a body under several locks, all or none: while one of them is busy, none is
	 * held in the store, if that can take them in one step; else they are taken in the
	 * order of their keys. Each is renewed, and may be lost, on its own; they are
	 * released in reverse order.
	 * @param requests what to lock, at least one; of two requests of one key the one in
	 * CORRECTNESS counts. The shortest wait time counts for all
	 * @param callback the body; its lease is that of the last key,
	 * {@link org.lockspring.CurrentLock#lease(String)} has all
	 * @param <T> the result
	 * @param <E> what the body throws
	 * @return the body's result
	 * @throws E if the body throws it
	 * @throws LockNotAcquiredException as {@link #execute}, naming a key that was busy
	 * @throws LockUnavailableException as {@link #execute}
	 * @throws LockLostException as {@link #execute}
	 */
	<T extends @Nullable Object, E extends Throwable> T executeAll(List<LockRequest> requests,
			LockCallback<T, E> callback) throws E;

	/**
	 * Run a body under several locks as {@link #executeAll}, which stay held until the
	 * stage which the body returns is complete, as {@link #executeAsync}.
	 * @param requests as {@link #executeAll}
	 * @param callback the body; must not return {@code null}
	 * @param <T> the result
	 * @param <E> what the body throws
	 * @return as {@link #executeAsync}
	 * @throws E if the body throws it
	 * @throws LockNotAcquiredException as {@link #executeAll}
	 * @throws LockUnavailableException as {@link #execute}
	 */
	<T extends @Nullable Object, E extends Throwable> CompletableFuture<T> executeAllAsync(List<LockRequest> requests,
			LockCallback<? extends CompletionStage<T>, E> callback) throws E;

	/**
	 * Run a body under a lock in EFFICIENCY, with the durations of the properties.
	 * @param key what to lock
	 * @param callback the body
	 * @param <T> the result
	 * @param <E> what the body throws
	 * @return the body's result
	 * @throws E if the body throws it
	 * @throws LockKeyException if the key is blank
	 * @see #execute(LockRequest, LockCallback)
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String key, LockCallback<T, E> callback)
			throws E {
		return execute(LockRequest.of(key), callback);
	}

	/**
	 * Run a body under a lock in EFFICIENCY if it can be had.
	 * @param key what to lock
	 * @param callback the body
	 * @param <T> the result
	 * @param <E> what the body throws
	 * @return the body's result; empty if busy
	 * @throws E if the body throws it
	 * @throws LockKeyException if the key is blank
	 * @see #tryExecute(LockRequest, LockCallback)
	 */
	default <T, E extends Throwable> Optional<T> tryExecute(String key, LockCallback<@Nullable T, E> callback)
			throws E {
		return tryExecute(LockRequest.of(key), callback);
	}

	/**
	 * Run a body under a lock in EFFICIENCY that stays held until the body's stage is
	 * complete.
	 * @param key what to lock
	 * @param callback the body; must not return {@code null}
	 * @param <T> the result
	 * @param <E> what the body throws
	 * @return a future that completes as the body's stage does
	 * @throws E if the body throws it
	 * @throws LockKeyException if the key is blank
	 * @see #executeAsync(LockRequest, LockCallback)
	 */
	default <T extends @Nullable Object, E extends Throwable> CompletableFuture<T> executeAsync(String key,
			LockCallback<? extends CompletionStage<T>, E> callback) throws E {
		return executeAsync(LockRequest.of(key), callback);
	}

	/**
	 * Take a lock in EFFICIENCY that the caller closes.
	 * @param key what to lock
	 * @return the lease
	 * @throws LockKeyException if the key is blank
	 * @see #acquire(LockRequest)
	 */
	default LockLease acquire(String key) {
		return acquire(LockRequest.of(key));
	}

	/**
	 * Take a lock in EFFICIENCY that the caller closes, if it can be had.
	 * @param key what to lock
	 * @return the lease; empty if busy
	 * @throws LockKeyException if the key is blank
	 * @see #tryAcquire(LockRequest)
	 */
	default Optional<LockLease> tryAcquire(String key) {
		return tryAcquire(LockRequest.of(key));
	}

}
