package org.lockspring.annotation;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockOperations;
import org.lockspring.core.ReactiveLockTemplate;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;

/**
 * Ends the start of the application if a {@link DistributedLock} method would run
 * unlocked, or its declaration cannot work. Looks at the proxies that were really made,
 * and, by type, at beans that are created later.
 *
 * @since 0.1.0
 */
public final class LockDefinitionValidator implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LockDefinitionValidator.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockAttributesSource source;

	private final ObjectProvider<LockOperations> operations;

	private final LockWeavingCheck weaving;

	/**
	 * Create a validator of beans behind proxies.
	 * @param beanFactory holds the beans
	 * @param postProcessor makes the proxies
	 */
	public LockDefinitionValidator(ConfigurableListableBeanFactory beanFactory,
			DistributedLockBeanPostProcessor postProcessor) {
		this(beanFactory, postProcessor.source(), postProcessor.operations(),
				new LockProxyCheck(beanFactory, postProcessor));
	}

	/**
	 * Create a validator of beans that AspectJ wove.
	 * @param beanFactory holds the beans
	 * @param configurer configures the aspect
	 */
	public LockDefinitionValidator(ConfigurableListableBeanFactory beanFactory,
			DistributedLockAspectConfigurer configurer) {
		this(beanFactory, configurer.source(), configurer.operations(), new LockAspectCheck());
	}

	private LockDefinitionValidator(ConfigurableListableBeanFactory beanFactory, LockAttributesSource source,
			ObjectProvider<LockOperations> operations, LockWeavingCheck weaving) {
		this.beanFactory = beanFactory;
		this.source = source;
		this.operations = operations;
		this.weaving = weaving;
	}

	/**
	 * Return the methods that lock in a mode.
	 * @param mode the mode
	 * @return names such as {@code OrderService#ship}, sorted; creates no bean
	 * @throws org.lockspring.InvalidLockDefinitionException if a declaration cannot work
	 */
	public List<String> methods(LockMode mode) {
		return beanTypes().values()
			.stream()
			.flatMap((type) -> lockedMethods(type).stream()
				.filter((locked) -> locked.uses(mode))
				.map((locked) -> LockedMethod.name(locked.method(), type)))
			.distinct()
			.sorted()
			.toList();
	}

	/**
	 * Return what methods will ask for in a mode, as far as it is known before a call.
	 * @param mode the mode
	 * @return one request for each declaration, with the method as its caller; its key
	 * may be an expression; creates no bean
	 * @throws org.lockspring.InvalidLockDefinitionException if a declaration cannot work
	 */
	public List<LockRequest> requests(LockMode mode) {
		return beanTypes().values()
			.stream()
			.flatMap((type) -> lockedMethods(type).stream())
			.flatMap((locked) -> locked.locks().stream())
			.map(LockAttributes::prototype)
			.filter((request) -> request.mode() == mode)
			.distinct()
			.toList();
	}

	@Override
	public void afterSingletonsInstantiated() {
		boolean used = false;
		for (Map.Entry<String, Class<?>> bean : beanTypes().entrySet()) {
			String name = bean.getKey();
			Collection<LockedMethod> methods = lockedMethods(bean.getValue());
			for (LockedMethod method : methods) {
				used = true;
				LockResultCheck.check(method, bean.getValue());
				this.weaving.checkMethod(method, bean.getValue());
				if (method.result().isSubscribed()) {
					this.beanFactory.getBean(ReactiveLockTemplate.class);
				}
			}
			Object instance = methods.isEmpty() ? null : instance(name);
			if (instance != null) {
				this.weaving.checkBean(name, instance, bean.getValue(), methods);
			}
		}
		if (used) {
			this.operations.getObject();
		}
	}

	private Collection<LockedMethod> lockedMethods(Class<?> type) {
		if (!this.source.isCandidateClass(type)) {
			return List.of();
		}
		return MethodIntrospector
			.selectMethods(type, (MethodIntrospector.MetadataLookup<@Nullable LockedMethod>) (
					method) -> LockDeclarations.find(method, type).isEmpty() ? null : this.source.get(method, type))
			.values();
	}

	private Map<String, Class<?>> beanTypes() {
		Map<String, Class<?>> types = new LinkedHashMap<>();
		this.beanFactory.getBeanNamesIterator().forEachRemaining((name) -> {
			Class<?> type = beanType(name);
			if (type != null) {
				types.put(name, type);
			}
		});
		return types;
	}

	private @Nullable Class<?> beanType(String name) {
		if (this.beanFactory.containsBeanDefinition(ScopedProxyUtils.getTargetBeanName(name))) {
			return null; // the target is a bean of its own
		}
		try {
			Object instance = this.beanFactory.containsSingleton(name) ? this.beanFactory.getSingleton(name) : null;
			if (instance == null || instance instanceof FactoryBean<?>) {
				Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory, name);
				return (type != null) ? ClassUtils.getUserClass(type) : null;
			}
			return ClassUtils.getUserClass(
					AopUtils.isAopProxy(instance) ? AopProxyUtils.ultimateTargetClass(instance) : instance.getClass());
		}
		catch (BeansException ex) {
			logger.debug("The type of bean '" + name + "' cannot be told, its locks are not checked", ex);
			return null;
		}
	}

	private @Nullable Object instance(String name) {
		Object instance = this.beanFactory.containsSingleton(name) ? this.beanFactory.getSingleton(name) : null;
		if (instance instanceof FactoryBean<?> factory) {
			return factory.isSingleton() && !this.beanFactory.getMergedBeanDefinition(name).isLazyInit()
					? this.beanFactory.getBean(name) : null;
		}
		return instance;
	}

}
