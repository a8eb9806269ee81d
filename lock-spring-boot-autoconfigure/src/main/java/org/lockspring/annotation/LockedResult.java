package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/**
 * What a locked method returns, and how its end shows.
 *
 * @param type the return type, as the real class has it
 * @param kind how the end shows
 */
record LockedResult(Class<?> type, Kind kind) {

	static LockedResult of(Method method, Class<?> targetClass) {
		Class<?> type = ResolvableType.forMethodReturnType(method, targetClass).resolve(Object.class);
		if (KotlinDetector.isSuspendingFunction(method)) {
			return new LockedResult(type, Kind.SUSPENDING);
		}
		if (CompletionStage.class.isAssignableFrom(type)) {
			return new LockedResult(type, Kind.STAGE);
		}
		boolean reactive = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
		return new LockedResult(type, reactive ? Kind.REACTIVE : Kind.VALUE);
	}

	/**
	 * Return whether the work is done by a subscription.
	 */
	boolean isSubscribed() {
		return this.kind == Kind.REACTIVE || this.kind == Kind.SUSPENDING;
	}

	/**
	 * How the end of the work shows.
	 */
	enum Kind {

		/** The method returns. */
		VALUE,

		/** A stage is complete. */
		STAGE,

		/** A subscription ends. */
		REACTIVE,

		/** A coroutine ends, which Spring shows as a subscription. */
		SUSPENDING

	}

}
