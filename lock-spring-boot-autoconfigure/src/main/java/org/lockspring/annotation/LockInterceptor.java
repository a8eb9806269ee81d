package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockRequest;
import org.lockspring.core.LockCallback;
import org.lockspring.core.LockOperations;

/**
 * Runs a method under the locks that are declared for it, however it was woven.
 */
final class LockInterceptor {

	private static final Object BUSY = new Object();

	private static final Object NULL = new Object();

	/** The same order for all callers; a lease with a token can serve one without. */
	private static final Comparator<Step> ORDER = Comparator.comparing((Step step) -> step.request.key())
		.thenComparing((step) -> step.request.mode(), Comparator.reverseOrder());

	private final LockAttributesSource source;

	private final Supplier<LockOperations> operations;

	/**
	 * Create an interceptor.
	 * @param source knows what is declared
	 * @param operations resolved at the first call, so that weaving creates no bean early
	 */
	LockInterceptor(LockAttributesSource source, Supplier<LockOperations> operations) {
		this.source = source;
		this.operations = operations;
	}

	@Nullable Object invoke(Method method, Class<?> targetClass, @Nullable Object target, @Nullable Object[] args, Body body)
			throws Throwable {
		LockedMethod locked = this.source.get(method, targetClass);
		if (!locked.isLocked()) {
			return body.proceed();
		}
		List<Step> steps = steps(locked, new LockCall(locked.method(), targetClass, target, args));
		Object result = run(steps, 0, System.nanoTime(), body);
		if (result == BUSY) {
			return (locked.method().getReturnType() == Optional.class) ? Optional.empty() : null;
		}
		return (result != NULL) ? result : null;
	}

	private static List<Step> steps(LockedMethod locked, LockCall call) {
		List<Step> steps = new ArrayList<>(1);
		for (LockAttributes attributes : locked.locks()) {
			for (LockRequest request : attributes.requests(call)) {
				steps.add(new Step(request, attributes));
			}
		}
		if (steps.size() > 1) {
			steps.sort(ORDER);
		}
		return steps;
	}

	/** All or none: each lock is taken inside the one before. */
	private Object run(List<Step> steps, int index, long start, Body body) throws Throwable {
		if (index == steps.size()) {
			Object result = body.proceed();
			return (result != null) ? result : NULL;
		}
		Step step = steps.get(index);
		LockRequest request = (index == 0) ? step.request : step.remaining(start);
		LockCallback<Object, Throwable> inner = (lease) -> run(steps, index + 1, start, body);
		if (step.attributes.onBusy() == OnBusy.SKIP) {
			return this.operations.get().tryExecute(request, inner).orElse(BUSY);
		}
		return this.operations.get().execute(request, inner);
	}

	/**
	 * The method itself.
	 */
	@FunctionalInterface
	interface Body {

		@Nullable Object proceed() throws Throwable;

	}

	private record Step(LockRequest request, LockAttributes attributes) {

		/**
		 * Return the request with what is left of its declaration's wait time.
		 */
		LockRequest remaining(long start) {
			Duration budget = this.attributes.budget();
			if (budget == null || budget.isZero()) {
				return this.request;
			}
			Duration left = budget.minusNanos(System.nanoTime() - start);
			return this.request.withWaitTime(left.isNegative() ? Duration.ZERO : left);
		}

	}

}
