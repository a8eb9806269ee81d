package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.core.LockCallback;
import org.lockspring.core.LockOperations;
import org.lockspring.core.ReactiveLockTemplate;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs a method under the locks that are declared for it, however it was woven.
 */
final class LockInterceptor {

	private static final Object BUSY = new Object();

	private static final Object NULL = new Object();

	private final LockAttributesSource source;

	private final Supplier<LockOperations> operations;

	private final Supplier<ReactiveLocking> reactive;

	/**
	 * Create an interceptor.
	 * @param source knows what is declared
	 * @param beanFactory asked at the first call, so that weaving creates no bean early
	 */
	LockInterceptor(LockAttributesSource source, BeanFactory beanFactory) {
		this.source = source;
		this.operations = SingletonSupplier.of(() -> beanFactory.getBean(LockOperations.class));
		this.reactive = SingletonSupplier
			.of(() -> new ReactiveLocking(beanFactory.getBean(ReactiveLockTemplate.class)));
	}

	@Nullable Object invoke(Method method, Class<?> targetClass, @Nullable Object target, @Nullable Object[] args, Body body)
			throws Throwable {
		LockedMethod locked = this.source.get(method, targetClass);
		if (!locked.isLocked()) {
			return body.proceed();
		}
		LockCall call = new LockCall(locked.method(), targetClass, target, args);
		return switch (locked.result().kind()) {
			case VALUE -> run(locked, LockStep.of(locked, call), body);
			case STAGE -> runStage(LockStep.of(locked, call), body);
			case REACTIVE, SUSPENDING -> this.reactive.get().invoke(locked, call, body);
		};
	}

	private @Nullable Object run(LockedMethod locked, List<LockStep> steps, Body body) throws Throwable {
		Object result = (steps.size() > 1 && LockStep.areAlike(steps)) ? runAll(steps, body)
				: run(steps, 0, System.nanoTime(), body);
		if (result == BUSY) {
			return (locked.result().type() == Optional.class) ? Optional.empty() : null;
		}
		return (result != NULL) ? result : null;
	}

	private Object runAll(List<LockStep> steps, Body body) throws Throwable {
		return takeAll(steps, BUSY, (started) -> this.operations.get().executeAll(requests(steps), (lease) -> {
			started.set(true);
			Object result = body.proceed();
			return (result != null) ? result : NULL;
		}));
	}

	private CompletionStage<@Nullable Object> runStage(List<LockStep> steps, Body body) throws Throwable {
		if (steps.size() == 1 || !LockStep.areAlike(steps)) {
			return runStage(steps, 0, System.nanoTime(), body);
		}
		return takeAll(steps, CompletableFuture.<@Nullable Object>completedFuture(null),
				(started) -> this.operations.get().executeAllAsync(requests(steps), (lease) -> {
					started.set(true);
					return stage(body);
				}));
	}

	/**
	 * Busy is only what was busy before the body began.
	 */
	private static <T> T takeAll(List<LockStep> steps, T busy, Taking<T> taking) throws Throwable {
		AtomicBoolean started = new AtomicBoolean();
		try {
			return taking.run(started);
		}
		catch (LockNotAcquiredException ex) {
			if (started.get() || !steps.get(0).skipsIfBusy() || Thread.currentThread().isInterrupted()) {
				throw ex;
			}
			return busy;
		}
	}

	private static List<LockRequest> requests(List<LockStep> steps) {
		return steps.stream().map(LockStep::request).toList();
	}

	private static CompletionStage<@Nullable Object> stage(Body body) throws Throwable {
		return FutureStage.of(Objects.requireNonNull(body.proceed(), "The method returned no future"));
	}

	/** All or none: each lock is taken inside the one before. */
	private Object run(List<LockStep> steps, int index, long start, Body body) throws Throwable {
		if (index == steps.size()) {
			Object result = body.proceed();
			return (result != null) ? result : NULL;
		}
		LockStep step = steps.get(index);
		LockRequest request = step.request(index, start);
		LockCallback<Object, Throwable> inner = (lease) -> run(steps, index + 1, start, body);
		return step.skipsIfBusy() ? this.operations.get().tryExecute(request, inner).orElse(BUSY)
				: this.operations.get().execute(request, inner);
	}

	private CompletionStage<@Nullable Object> runStage(List<LockStep> steps, int index, long start, Body body)
			throws Throwable {
		if (index == steps.size()) {
			return stage(body);
		}
		LockStep step = steps.get(index);
		LockRequest request = step.request(index, start);
		LockCallback<CompletionStage<@Nullable Object>, Throwable> inner = (lease) -> runStage(steps, index + 1, start,
				body);
		return step.skipsIfBusy()
				? this.operations.get()
					.tryExecuteAsync(request, inner)
					.orElseGet(() -> CompletableFuture.completedFuture(null))
				: this.operations.get().executeAsync(request, inner);
	}

	/**
	 * Takes several locks and runs under them.
	 */
	@FunctionalInterface
	private interface Taking<T> {

		T run(AtomicBoolean started) throws Throwable;

	}

	/**
	 * The method itself.
	 */
	@FunctionalInterface
	interface Body {

		@Nullable Object proceed() throws Throwable;

		/**
		 * Return a body that can proceed although this one or another copy has.
		 * @param args the arguments to proceed with
		 */
		default Body copy(@Nullable Object[] args) {
			return this;
		}

	}

}
