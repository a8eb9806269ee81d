package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;

import org.lockspring.InvalidLockDefinitionException;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds methods that no proxy locks.
 */
final class LockProxyCheck implements LockWeavingCheck {

	private static final String OR_ASPECTJ = ", or set lock.annotation.mode=aspectj and weave the class";

	private final DistributedLockBeanPostProcessor postProcessor;

	private final LockOrderCheck order;

	LockProxyCheck(DistributedLockBeanPostProcessor postProcessor) {
		this.postProcessor = postProcessor;
		this.order = new LockOrderCheck(postProcessor);
	}

	@Override
	public void checkMethod(LockedMethod locked, Class<?> type) {
		int modifiers = locked.method().getModifiers();
		if (Modifier.isStatic(modifiers)) {
			throw passedBy(locked, type, "static");
		}
		if (Modifier.isPrivate(modifiers)) {
			throw passedBy(locked, type, "private");
		}
		if (Modifier.isFinal(modifiers)) {
			throw passedBy(locked, type, "final");
		}
		if (Modifier.isFinal(type.getModifiers()) && ClassUtils.getAllInterfacesForClass(type).length == 0) {
			throw new InvalidLockDefinitionException(LockedMethod.describe(locked.method(), type),
					"the class is final, so that no proxy can be made that takes the lock",
					"Remove 'final' from the class, or give it an interface" + OR_ASPECTJ);
		}
	}

	private static InvalidLockDefinitionException passedBy(LockedMethod locked, Class<?> type, String modifier) {
		return new InvalidLockDefinitionException(LockedMethod.describe(locked.method(), type),
				"the method is " + modifier + ", so that a proxy cannot lock it",
				"Remove '" + modifier + "'" + OR_ASPECTJ);
	}

	@Override
	public void checkBean(String name, Object bean, Class<?> type, Collection<LockedMethod> methods) {
		ProxyChain chain = ProxyChain.of(bean);
		boolean advised = chain.contains(this.postProcessor::isLockAdvisor);
		for (LockedMethod locked : methods) {
			if (!advised && !this.postProcessor.hasAdvised(name)) {
				throw new InvalidLockDefinitionException(LockedMethod.describe(locked.method(), type),
						"bean '%s' has no proxy that takes the lock. It was created before the post-processor of locks, "
							.formatted(name) + "was registered by hand, or shows the annotation to nobody",
						"Do not let a BeanPostProcessor or BeanFactoryPostProcessor depend on it, let Spring create it, "
								+ "and put the annotation on a method of its class");
			}
			if (AopUtils.isJdkDynamicProxy(bean) && LockDeclarations.isOnMethod(locked.method(), type)) {
				requireVisible(bean, locked.method(), type);
			}
			if (advised) {
				this.order.check(chain, locked, type);
			}
		}
	}

	private static void requireVisible(Object bean, Method method, Class<?> type) {
		boolean visible = Arrays.stream(bean.getClass().getInterfaces())
			.flatMap((candidate) -> Arrays.stream(candidate.getMethods()))
			.anyMatch((candidate) -> AopUtils.getMostSpecificMethod(candidate, type).equals(method));
		if (!visible) {
			throw new InvalidLockDefinitionException(LockedMethod.describe(method, type),
					"the bean's proxy shows its interfaces only, and none of them has the method",
					"Add the method to an interface, or remove spring.aop.proxy-target-class=false");
		}
	}

}
