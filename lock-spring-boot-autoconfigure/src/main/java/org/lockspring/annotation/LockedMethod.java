package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.lockspring.LockMode;
import org.springframework.util.ClassUtils;

/**
 * What is declared for a method.
 *
 * @param method the method of the real class
 * @param result what it returns
 * @param locks the declarations; empty if the method is not locked
 */
record LockedMethod(Method method, LockedResult result, List<LockAttributes> locks) {

	boolean isLocked() {
		return !this.locks.isEmpty();
	}

	boolean uses(LockMode mode) {
		return this.locks.stream().anyMatch((lock) -> lock.prototype().mode() == mode);
	}

	boolean skipsIfBusy() {
		return this.locks.stream().anyMatch((lock) -> lock.onBusy() == OnBusy.SKIP);
	}

	/**
	 * Return how messages name a method: {@code OrderService#ship(Order)}.
	 */
	static String describe(Method method, Class<?> targetClass) {
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		return name(method, targetClass) + "(" + parameters + ")";
	}

	/**
	 * Return how metrics name a method: {@code OrderService#ship}.
	 */
	static String name(Method method, Class<?> targetClass) {
		return ClassUtils.getShortName(targetClass) + "#" + method.getName();
	}

}
