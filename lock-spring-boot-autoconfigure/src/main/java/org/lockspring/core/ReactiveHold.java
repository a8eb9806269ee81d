package org.lockspring.core;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * One subscription's way through a lock: waiting, holding, ended. It may be cancelled in
 * each, also in the instant in which the lock is granted.
 */
final class ReactiveHold {

	private final LockTemplate template;

	private final ReactiveQueue queue;

	private final LockRequest request;

	private final ReactiveLeases outer;

	private @Nullable HeldLease lease;

	private boolean ended;

	ReactiveHold(LockTemplate template, ReactiveQueue queue, LockRequest request, ReactiveLeases outer) {
		this.template = template;
		this.queue = queue;
		this.request = template.settings().complete(request);
		this.outer = outer;
	}

	<T> Mono<T> one(Function<ReactiveHold, Mono<LockLease>> acquire, Function<LockLease, ? extends Publisher<T>> body) {
		return Mono.usingWhen(Mono.just(this),
				(hold) -> acquire.apply(hold)
					.flatMap((lease) -> Mono.from(run(lease, body))
						.map(Optional::of)
						.defaultIfEmpty(Optional.empty())
						.flatMap((value) -> complete().then(Mono.justOrEmpty(value)))),
				(hold) -> Mono.empty(), ReactiveHold::fail, ReactiveHold::cancel);
	}

	<T> Flux<T> many(Function<ReactiveHold, Mono<LockLease>> acquire,
			Function<LockLease, ? extends Publisher<T>> body) {
		return Flux.usingWhen(Mono.just(this),
				(hold) -> acquire.apply(hold)
					.flatMapMany((lease) -> Flux.from(run(lease, body)).concatWith(complete().then(Mono.empty()))),
				(hold) -> Mono.empty(), ReactiveHold::fail, ReactiveHold::cancel);
	}

	/**
	 * Take the lock.
	 */
	Mono<LockLease> acquire() {
		return Mono.defer(() -> {
			HeldLease held = this.outer.with(() -> this.template.leases().reenter(this.request));
			if (held != null) {
				return take(held) ? Mono.just(held) : Mono.never();
			}
			return Mono.create(
					(sink) -> new ReactiveWait(this.template, this.queue, this.request, this.outer, this::take, sink)
						.start());
		});
	}

	/**
	 * Take the lock, or end empty if it is busy.
	 */
	Mono<LockLease> tryAcquire() {
		return acquire().onErrorResume(LockNotAcquiredException.class, (ex) -> Mono.empty());
	}

	/**
	 * Keep a lease until the end, or leave it if that has come already.
	 */
	private boolean take(HeldLease held) {
		synchronized (this) {
			if (!this.ended) {
				this.lease = held;
				return true;
			}
		}
		this.template.bodies().leaveCancelled(held);
		return false;
	}

	private synchronized @Nullable HeldLease end() {
		this.ended = true;
		HeldLease held = this.lease;
		this.lease = null;
		return held;
	}

	private <T> Publisher<T> run(LockLease lease, Function<LockLease, ? extends Publisher<T>> body) {
		Flux<T> chain = Flux.defer(() -> this.outer.with(() -> (lease instanceof HeldLease held)
				? this.template.bodies().call(held, body::apply) : body.apply(lease)));
		if (lease instanceof HeldLease held && held.mode() == LockMode.CORRECTNESS) {
			chain = untilLost(chain, held);
		}
		return chain.contextWrite((context) -> this.outer.in(context, lease));
	}

	private <T> Flux<T> untilLost(Flux<T> chain, HeldLease held) {
		// takeUntilOther passes an error on, but lets the chain run
		Disposable.Swap running = Disposables.swap();
		return chain.doOnSubscribe((subscription) -> running.update(subscription::cancel))
			.takeUntilOther(loss(held).doOnError((ex) -> running.dispose()));
	}

	/** Told by the thread that watches all leases, which must not run a chain. */
	private Mono<Void> loss(HeldLease held) {
		return Mono.<Void>create((sink) -> {
			Consumer<LockLostException> listener = sink::error;
			held.lossListeners().add(listener);
			sink.onDispose(() -> held.lossListeners().remove(listener));
		}).publishOn(Schedulers.fromExecutor(this.template.waiting()));
	}

	private Mono<Void> complete() {
		return leave(this.template.bodies()::leaveOrThrow);
	}

	private Mono<Void> fail(Throwable failure) {
		return leave((held) -> this.template.bodies().leaveAfter(held, failure));
	}

	private Mono<Void> cancel() {
		return leave(this.template.bodies()::leaveCancelled);
	}

	private Mono<Void> leave(Consumer<HeldLease> leaving) {
		return Mono.create((sink) -> {
			HeldLease held = end();
			Runnable release = () -> {
				try {
					if (held != null) {
						leaving.accept(held);
					}
					sink.success();
				}
				catch (RuntimeException | Error ex) {
					sink.error(ex);
				}
			};
			if (held == null) {
				release.run();
			}
			else {
				this.template.waiting().execute(release);
			}
		});
	}

}
