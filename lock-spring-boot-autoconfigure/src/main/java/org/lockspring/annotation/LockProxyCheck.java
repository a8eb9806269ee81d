package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.lockspring.InvalidLockDefinitionException;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds methods that no proxy locks.
 */
final class LockProxyCheck implements LockWeavingCheck {

	private static final String OR_ASPECTJ = ", or set lock.annotation.mode=aspectj and weave the class";

	/**
	 * There in a test that replaces beans, as @MockitoBean does: they have no proxies.
	 */
	private static final String TEST_OVERRIDES = "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

	private static final Log logger = LogFactory.getLog(LockProxyCheck.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistributedLockBeanPostProcessor postProcessor;

	private final LockOrderCheck order;

	LockProxyCheck(ConfigurableListableBeanFactory beanFactory, DistributedLockBeanPostProcessor postProcessor) {
		this.beanFactory = beanFactory;
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
		if (!advised && !this.postProcessor.hasAdvised(name)) {
			refuse(name, type, methods);
			return;
		}
		for (LockedMethod locked : methods) {
			if (AopUtils.isJdkDynamicProxy(bean) && LockDeclarations.isOnMethod(locked.method(), type)) {
				requireVisible(bean, locked.method(), type);
			}
			if (advised) {
				this.order.check(chain, locked, type);
			}
		}
	}

	private void refuse(String name, Class<?> type, Collection<LockedMethod> methods) {
		if (this.beanFactory.containsSingleton(TEST_OVERRIDES)) {
			logger.info("Bean '" + name + "' takes no locks: it is taken for the replacement of this test");
			return;
		}
		throw new InvalidLockDefinitionException(LockedMethod.describe(methods.iterator().next().method(), type),
				"bean '" + name + "' has no proxy that takes the lock: it was created before the post-processor of "
						+ "locks, or registered by hand, or its proxy does not show the annotation",
				"Do not let a BeanPostProcessor or BeanFactoryPostProcessor depend on the bean, let Spring create it, "
						+ "and put the annotation on a method of its class");
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
