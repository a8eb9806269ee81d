package org.lockspring.annotation;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockLease;
import org.lockspring.core.ReactiveLockTemplate;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.Assert;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Runs methods under their locks whose work is done by a subscription. Loaded only where
 * there is such a method, since Reactor is optional.
 */
final class ReactiveLocking {

	private final ReactiveLockTemplate template;

	ReactiveLocking(ReactiveLockTemplate template) {
		this.template = template;
	}

	/**
	 * Return what the method returns, with the locks around each subscription. The method
	 * itself runs when its locks are held.
	 */
	Object invoke(LockedMethod locked, LockCall call, LockInterceptor.Body body) {
		Class<?> type = reactiveType(locked);
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		Assert.state(adapter != null, () -> "No adapter for " + type);
		if (adapter.isMultiValue()) {
			return adapter.fromPublisher(Flux.defer(() -> many(LockStep.of(locked, call), 0, System.nanoTime(),
					() -> proceed(adapter, locked, call, body))));
		}
		return adapter.fromPublisher(Mono.defer(() -> one(LockStep.of(locked, call), 0, System.nanoTime(),
				() -> proceed(adapter, locked, call, body))));
	}

	/** Spring shows a suspending function as what Reactor has for it. */
	private static Class<?> reactiveType(LockedMethod locked) {
		Class<?> type = locked.result().type();
		if (locked.result().kind() != LockedResult.Kind.SUSPENDING) {
			return type;
		}
		return locked.result().isFlow() ? Flux.class : Mono.class;
	}

	private static Publisher<Object> proceed(ReactiveAdapter adapter, LockedMethod locked, LockCall call,
			LockInterceptor.Body body) {
		boolean suspending = locked.result().kind() == LockedResult.Kind.SUSPENDING;
		try {
			@Nullable Object[] args = suspending ? CoroutineLeases.in(call.getArgs()) : call.getArgs();
			return adapter.toPublisher(body.copy(args).proceed());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	private Flux<Object> many(List<LockStep> steps, int index, long start, Supplier<Publisher<Object>> body) {
		if (index == steps.size()) {
			return Flux.from(body.get());
		}
		LockStep step = steps.get(index);
		Function<LockLease, Flux<Object>> inner = (lease) -> many(steps, index + 1, start, body);
		return step.skipsIfBusy() ? this.template.tryExecuteMany(step.request(index, start), inner)
				: this.template.executeMany(step.request(index, start), inner);
	}

	private Mono<Object> one(List<LockStep> steps, int index, long start, Supplier<Publisher<Object>> body) {
		if (index == steps.size()) {
			return Mono.from(body.get());
		}
		LockStep step = steps.get(index);
		Function<LockLease, Mono<Object>> inner = (lease) -> one(steps, index + 1, start, body);
		return step.skipsIfBusy() ? this.template.tryExecute(step.request(index, start), inner)
				: this.template.execute(step.request(index, start), inner);
	}

}
