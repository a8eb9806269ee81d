package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.core.LockOperations;
import org.lockspring.core.LockSettings;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Puts beans with {@link DistributedLock} methods behind a proxy that takes the lock. A
 * bean that has a proxy already keeps it, with the lock outside of whatever it does:
 * outside of transactions above all.
 * <p>
 * The {@linkplain #setOrder order} is that of this post-processor, and not of an advisor:
 * a larger number is applied later and so lies further <em>outside</em>. The default is
 * below the post-processors of {@code @Retryable} and {@code @Async}. A caller then
 * passes Async, Retry, Lock, Transaction, in this order.
 *
 * @since 0.1.0
 */
public final class DistributedLockBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	/**
	 * The order if none is set.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 2;

	private final ObjectProvider<LockOperations> operations;

	private final ObjectProvider<LockSettings> settings;

	private final Set<String> advisedBeans = ConcurrentHashMap.newKeySet();

	private @Nullable LockAttributesSource source;

	/**
	 * Create a post-processor. The beans behind the providers are not created before the
	 * first locked call, or the validation at the end of the start.
	 * @param operations takes the locks
	 * @param settings what applies where an annotation is silent; may be absent
	 */
	public DistributedLockBeanPostProcessor(ObjectProvider<LockOperations> operations,
			ObjectProvider<LockSettings> settings) {
		this.operations = operations;
		this.settings = settings;
		setBeforeExistingAdvisors(true);
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		LockAttributesSource source = LockAttributesSource.of(beanFactory, this.settings);
		this.source = source;
		LockInterceptor interceptor = new LockInterceptor(source, beanFactory);
		this.advisor = new DefaultPointcutAdvisor(new LockPointcut(source), new LockAdvice(interceptor));
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Object processed = super.postProcessAfterInitialization(bean, beanName);
		if (processed instanceof Advised advised && isOurs(advised)) {
			this.advisedBeans.add(beanName);
		}
		return processed;
	}

	private boolean isOurs(Advised advised) {
		return this.advisor != null && advised.indexOf(this.advisor) >= 0;
	}

	@Override
	protected ProxyFactory prepareProxyFactory(Object bean, String beanName) {
		ProxyFactory proxyFactory = super.prepareProxyFactory(bean, beanName);
		Class<?> type = bean.getClass();
		boolean subclassed = proxyFactory.isProxyTargetClass() || ClassUtils.getAllInterfacesForClass(type).length == 0;
		if (subclassed && Modifier.isFinal(type.getModifiers()) && !Proxy.isProxyClass(type)
				&& !ClassUtils.isLambdaClass(type)) {
			throw new InvalidLockDefinitionException(type.getName(),
					"the class is final, so that no proxy can be made that takes its locks",
					"Remove 'final', or give it an interface and set spring.aop.proxy-target-class=false");
		}
		return proxyFactory;
	}

	LockAttributesSource source() {
		LockAttributesSource source = this.source;
		if (source == null) {
			throw new IllegalStateException("No bean factory was set");
		}
		return source;
	}

	ObjectProvider<LockOperations> operations() {
		return this.operations;
	}

	/**
	 * Return whether the bean left this post-processor with its locks, whatever was
	 * wrapped around it later.
	 */
	boolean hasAdvised(String beanName) {
		return this.advisedBeans.contains(beanName);
	}

	boolean isLockAdvisor(Advisor candidate) {
		return candidate.equals(this.advisor);
	}

	private static final class LockPointcut extends StaticMethodMatcherPointcut {

		LockPointcut(LockAttributesSource source) {
			setClassFilter(source::isCandidateClass);
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return !LockDeclarations.find(method, targetClass).isEmpty();
		}

	}

	private static final class LockAdvice implements MethodInterceptor {

		private final LockInterceptor interceptor;

		LockAdvice(LockInterceptor interceptor) {
			this.interceptor = interceptor;
		}

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			Object target = invocation.getThis();
			// What the pointcut saw: behind a proxy of an interface only, that is the
			// proxy
			Class<?> targetClass = (target != null) ? ClassUtils.getUserClass(target)
					: invocation.getMethod().getDeclaringClass();
			return this.interceptor.invoke(invocation.getMethod(), targetClass, target, invocation.getArguments(),
					new Proceeding(invocation));
		}

	}

	private record Proceeding(MethodInvocation invocation) implements LockInterceptor.Body {

		@Override
		public @Nullable Object proceed() throws Throwable {
			return this.invocation.proceed();
		}

		@Override
		public LockInterceptor.Body copy(@Nullable Object[] args) {
			return (this.invocation instanceof ProxyMethodInvocation proxied)
					? new Proceeding(proxied.invocableClone(args)) : this;
		}

	}

}
