package org.lockspring.annotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import org.lockspring.LockRequest;

/**
 * One of the locks that one call takes.
 *
 * @param request what to lock
 * @param attributes the declaration it comes from
 */
record LockStep(LockRequest request, LockAttributes attributes) {

	/** The same order for all callers; a lease with a token can serve one without. */
	private static final Comparator<LockStep> ORDER = Comparator.comparing((LockStep step) -> step.request.key())
		.thenComparing((step) -> step.request.mode(), Comparator.reverseOrder());

	/**
	 * Return the locks of a call in the order in which they are taken.
	 */
	static List<LockStep> of(LockedMethod locked, LockCall call) {
		List<LockStep> steps = new ArrayList<>(1);
		for (LockAttributes attributes : locked.locks()) {
			for (LockRequest request : attributes.requests(call)) {
				steps.add(new LockStep(request, attributes));
			}
		}
		if (steps.size() > 1) {
			steps.sort(ORDER);
		}
		return steps;
	}

	/**
	 * Whether these locks can be taken as one: they wait equally long, and do the same if
	 * one of them is busy.
	 */
	static boolean areAlike(List<LockStep> steps) {
		LockStep first = steps.get(0);
		return steps.stream()
			.allMatch((step) -> Objects.equals(step.request.waitTime(), first.request.waitTime())
					&& step.skipsIfBusy() == first.skipsIfBusy());
	}

	boolean skipsIfBusy() {
		return this.attributes.onBusy() == OnBusy.SKIP;
	}

	/**
	 * Return the request with what is left of its declaration's wait time.
	 * @param index the place in the order
	 * @param start when the call took its first lock, on the monotonic clock
	 */
	LockRequest request(int index, long start) {
		Duration budget = this.attributes.budget();
		if (index == 0 || budget == null || budget.isZero()) {
			return this.request;
		}
		Duration left = budget.minusNanos(System.nanoTime() - start);
		return this.request.withWaitTime(left.isNegative() ? Duration.ZERO : left);
	}

}
