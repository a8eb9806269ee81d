package org.lockspring.annotation;

import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * Rules out classes that cannot have a locked method. Most beans are of such a class, and
 * to search the hierarchy of each of their methods would take a good part of the start.
 */
final class LockCandidates {

	private final Map<Class<?>, Boolean> known = new ConcurrentHashMap<>();

	/**
	 * Return whether {@link LockDeclarations} might find something for a method of the
	 * class.
	 * @param type a class or an interface
	 * @return {@code false} if neither it, nor a superclass, nor an interface of these is
	 * annotated or has an annotated method
	 */
	boolean contains(@Nullable Class<?> type) {
		if (type == null || type.getName().startsWith("java.")) {
			return false;
		}
		Boolean candidate = this.known.get(type);
		if (candidate == null) {
			candidate = isDeclaredIn(type) || contains(type.getSuperclass())
					|| Arrays.stream(type.getInterfaces()).anyMatch(this::contains);
			this.known.put(type, candidate);
		}
		return candidate;
	}

	private static boolean isDeclaredIn(Class<?> type) {
		try {
			if (isDeclaredOn(type)) {
				return true;
			}
			boolean[] found = new boolean[1];
			ReflectionUtils.doWithLocalMethods(type, (method) -> found[0] |= isDeclaredOn(method));
			return found[0];
		}
		catch (RuntimeException | LinkageError ex) {
			return true; // something that it names is not there: it has to be looked at
		}
	}

	private static boolean isDeclaredOn(AnnotatedElement element) {
		return MergedAnnotations.from(element).isPresent(DistributedLock.class);
	}

}
