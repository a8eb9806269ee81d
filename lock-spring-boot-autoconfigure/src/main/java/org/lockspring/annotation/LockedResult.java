package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/**
 * What a locked method returns, and how its end shows.
 *
 * @param type the return type, as the real class has it; of a suspending function, as its
 * source has it
 * @param kind how the end shows
 */
record LockedResult(Class<?> type, Kind kind) {

	static LockedResult of(Method method, Class<?> targetClass) {
		if (KotlinDetector.isSuspendingFunction(method)) {
			return new LockedResult(new MethodParameter(method, -1).getParameterType(), Kind.SUSPENDING);
		}
		Class<?> type = ResolvableType.forMethodReturnType(method, targetClass).resolve(Object.class);
		if (CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type)) {
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
	 * Return whether it is the flow of Kotlin, of which a class path may know nothing.
	 */
	boolean isFlow() {
		return this.type.getName().equals("kotlinx.coroutines.flow.Flow");
	}

	/**
	 * How the end of the work shows.
	 */
	enum Kind {

		/** The method returns. */
		VALUE,

		/** A stage is complete, or another future done. */
		STAGE,

		/** A subscription ends. */
		REACTIVE,

		/** A coroutine ends, which Spring shows as a subscription. */
		SUSPENDING

	}

}
