package org.lockspring.core;

import java.util.function.Function;

import org.lockspring.CurrentLock;
import org.lockspring.LockLease;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Runs reactive chains under a lock. Nothing happens before the subscription; each
 * subscription takes a lock of its own and releases it when it completes, fails or is
 * cancelled, also while it waits for the lock. Whatever waits for a store does so on
 * threads of the library and never on the subscriber's; the end of the chain is signalled
 * after the release.
 * <p>
 * The lease is in the Reactor context of the chain, where {@link #currentLease()} finds
 * it. A chain inside, subscribed to as part of this one, re-enters: same key, same lease,
 * same token, no request to the store. {@link CurrentLock} has the lease only while the
 * body itself is called; where a chain moves to a thread that begins transactions, only
 * {@link CurrentLock#with} has them fenced.
 * <p>
 * A lease that is lost in CORRECTNESS cancels the chain and ends it with
 * {@link org.lockspring.LockLostException}; in EFFICIENCY the chain goes on, with a
 * warning. A release that fails never masks a result.
 *
 * @since 0.1.0
 */
public class ReactiveLockTemplate {

	private final LockTemplate template;

	private final ReactiveQueue queue = new ReactiveQueue();

	/**
	 * Create a template.
	 * @param template takes the locks
	 */
	public ReactiveLockTemplate(LockTemplate template) {
		this.template = template;
	}

	/**
	 * Run a chain of at most one value under a lock.
	 * @param request what to lock
	 * @param body returns the chain; called once for each subscription, when the lock is
	 * held
	 * @param <T> the value
	 * @return the chain under the lock; fails with {@link LockNotAcquiredException} if
	 * the lock was busy for the whole wait time, and as {@link LockOperations#execute}
	 */
	public <T> Mono<T> execute(LockRequest request, Function<LockLease, ? extends Mono<T>> body) {
		return Mono.deferContextual((context) -> hold(request, context).one(ReactiveHold::acquire, body));
	}

	/**
	 * Run a chain of any number of values under a lock.
	 * @param request what to lock
	 * @param body returns the chain; called once for each subscription, when the lock is
	 * held
	 * @param <T> the values
	 * @return the chain under the lock; fails as that of {@link #execute}
	 */
	public <T> Flux<T> executeMany(LockRequest request, Function<LockLease, ? extends Publisher<T>> body) {
		return Flux.deferContextual((context) -> hold(request, context).many(ReactiveHold::acquire, body));
	}

	/**
	 * Run a chain of at most one value under a lock if it can be had.
	 * @param request what to lock
	 * @param body as {@link #execute}
	 * @param <T> the value
	 * @return the chain under the lock; empty if the lock was busy for the whole wait
	 * time
	 */
	public <T> Mono<T> tryExecute(LockRequest request, Function<LockLease, ? extends Mono<T>> body) {
		return Mono.deferContextual((context) -> hold(request, context).one(ReactiveHold::tryAcquire, body));
	}

	/**
	 * Run a chain of any number of values under a lock if it can be had.
	 * @param request what to lock
	 * @param body as {@link #executeMany}
	 * @param <T> the values
	 * @return the chain under the lock; empty if the lock was busy for the whole wait
	 * time
	 */
	public <T> Flux<T> tryExecuteMany(LockRequest request, Function<LockLease, ? extends Publisher<T>> body) {
		return Flux.deferContextual((context) -> hold(request, context).many(ReactiveHold::tryAcquire, body));
	}

	/**
	 * Run a chain of at most one value under a lock in EFFICIENCY, with the durations of
	 * the properties.
	 * @param key what to lock
	 * @param body as {@link #execute(LockRequest, Function)}
	 * @param <T> the value
	 * @return the chain under the lock
	 * @throws org.lockspring.LockKeyException if the key is blank
	 */
	public <T> Mono<T> execute(String key, Function<LockLease, ? extends Mono<T>> body) {
		return execute(LockRequest.of(key), body);
	}

	/**
	 * Run a chain of any number of values under a lock in EFFICIENCY, with the durations
	 * of the properties.
	 * @param key what to lock
	 * @param body as {@link #executeMany(LockRequest, Function)}
	 * @param <T> the values
	 * @return the chain under the lock
	 * @throws org.lockspring.LockKeyException if the key is blank
	 */
	public <T> Flux<T> executeMany(String key, Function<LockLease, ? extends Publisher<T>> body) {
		return executeMany(LockRequest.of(key), body);
	}

	/**
	 * Return the lease that the subscribing chain took last.
	 * @return the innermost lease; fails with {@link IllegalStateException} if the chain
	 * holds none
	 */
	public static Mono<LockLease> currentLease() {
		return Mono.deferContextual((context) -> ReactiveLeases.of(context)
			.innermost((lease) -> true)
			.map(Mono::just)
			.orElseGet(() -> Mono.error(new IllegalStateException("No lock is held by this chain. Was the "
					+ "@DistributedLock method called through its Spring bean, and not on 'this'?"))));
	}

	/**
	 * Return the lease that the subscribing chain holds of one key.
	 * @param key the key, as it was requested
	 * @return the innermost lease of that key; fails with {@link IllegalStateException}
	 * if the chain does not hold that key
	 */
	public static Mono<LockLease> currentLease(String key) {
		return Mono.deferContextual(
				(context) -> ReactiveLeases.of(context)
					.innermost((lease) -> lease.key().equals(key))
					.map(Mono::just)
					.orElseGet(() -> Mono.error(new IllegalStateException("The lock '" + key
							+ "' is not held by this chain. "
							+ "Was the @DistributedLock method called through its Spring bean, and not on 'this'?"))));
	}

	private ReactiveHold hold(LockRequest request, ContextView context) {
		return new ReactiveHold(this.template, this.queue, request, ReactiveLeases.of(context));
	}

}
