package org.lockspring.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the declarations that hold for a method. The most specific place wins as a whole:
 * target method or one it overrides, target class or a superclass, interface method,
 * interface.
 */
final class LockDeclarations {

	private LockDeclarations() {
	}

	/**
	 * Find the declarations.
	 * @param method a method as it was called, of a class or an interface
	 * @param targetClass the class it was called on
	 * @return the declarations of one place; empty if the method is not locked
	 */
	static List<MergedAnnotation<DistributedLock>> find(Method method, Class<?> targetClass) {
		if (method.getDeclaringClass() == Object.class) {
			return List.of();
		}
		Class<?> type = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, type);
		boolean covered = isCoveredByType(specific);
		List<MergedAnnotation<DistributedLock>> found = on(specific, SearchStrategy.SUPERCLASS);
		if (found.isEmpty() && covered) {
			found = on(type, SearchStrategy.SUPERCLASS);
		}
		if (found.isEmpty()) {
			found = onInterfaceMethod(specific, type);
		}
		if (found.isEmpty() && covered) {
			found = on(type, SearchStrategy.TYPE_HIERARCHY);
		}
		return found;
	}

	/**
	 * Return whether it is the method that is annotated, and not its type.
	 */
	static boolean isOnMethod(Method method, Class<?> targetClass) {
		return !on(method, SearchStrategy.SUPERCLASS).isEmpty() || !onInterfaceMethod(method, targetClass).isEmpty();
	}

	private static boolean isCoveredByType(Method method) {
		return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& !ReflectionUtils.isObjectMethod(method);
	}

	private static List<MergedAnnotation<DistributedLock>> onInterfaceMethod(Method method, Class<?> type) {
		if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
			return List.of();
		}
		List<MergedAnnotation<DistributedLock>> found = on(method, SearchStrategy.TYPE_HIERARCHY);
		if (found.isEmpty() && method.getDeclaringClass() != type) {
			// An inherited method may implement an interface that its own class does not
			for (Class<?> candidate : ClassUtils.getAllInterfacesForClassAsSet(type)) {
				Method declared = ClassUtils.getMethodIfAvailable(candidate, method.getName(),
						method.getParameterTypes());
				if (declared != null && found.isEmpty()) {
					found = on(declared, SearchStrategy.TYPE_HIERARCHY);
				}
			}
		}
		return found;
	}

	private static List<MergedAnnotation<DistributedLock>> on(AnnotatedElement element, SearchStrategy strategy) {
		List<MergedAnnotation<DistributedLock>> all = MergedAnnotations.from(element, strategy)
			.stream(DistributedLock.class)
			.toList();
		if (all.size() < 2) {
			return all;
		}
		int nearest = all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().getAsInt();
		return all.stream().filter((annotation) -> annotation.getAggregateIndex() == nearest).toList();
	}

}
