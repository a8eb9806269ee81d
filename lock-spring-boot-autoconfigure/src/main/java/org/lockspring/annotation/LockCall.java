package org.lockspring.annotation;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method; {@code #root} of its key expressions.
 */
final class LockCall {

	private final Method method;

	private final Class<?> targetClass;

	private final @Nullable Object target;

	private final @Nullable Object[] args;

	LockCall(Method method, Class<?> targetClass, @Nullable Object target, @Nullable Object[] args) {
		this.method = method;
		this.targetClass = targetClass;
		this.target = target;
		this.args = args;
	}

	public Method getMethod() {
		return this.method;
	}

	public Class<?> getTargetClass() {
		return this.targetClass;
	}

	public @Nullable Object getTarget() {
		return this.target;
	}

	public @Nullable Object[] getArgs() {
		return this.args;
	}

}
