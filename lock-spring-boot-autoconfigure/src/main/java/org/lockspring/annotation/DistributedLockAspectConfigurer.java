package org.lockspring.annotation;

import org.jspecify.annotations.Nullable;
import org.lockspring.core.LockOperations;
import org.lockspring.core.LockSettings;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.Assert;

/**
 * Connects {@link DistributedLockAspect} to an application context, before any other bean
 * is created. The beans that take the locks are not created before the first locked call.
 *
 * @since 0.1.0
 */
public final class DistributedLockAspectConfigurer implements BeanFactoryPostProcessor, DisposableBean {

	private @Nullable ObjectProvider<LockOperations> operations;

	private @Nullable LockAttributesSource source;

	private @Nullable LockInterceptor interceptor;

	/**
	 * Configure the aspect.
	 * @param beanFactory the context's
	 * @throws org.lockspring.InvalidLockDefinitionException if the aspect is not woven
	 */
	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		ObjectProvider<LockOperations> operations = beanFactory.getBeanProvider(LockOperations.class);
		LockAttributesSource source = LockAttributesSource.of(beanFactory,
				beanFactory.getBeanProvider(LockSettings.class));
		LockInterceptor interceptor = new LockInterceptor(source, beanFactory);
		DistributedLockAspect.configure(interceptor);
		this.operations = operations;
		this.source = source;
		this.interceptor = interceptor;
	}

	LockAttributesSource source() {
		Assert.state(this.source != null, "No bean factory was set");
		return this.source;
	}

	ObjectProvider<LockOperations> operations() {
		Assert.state(this.operations != null, "No bean factory was set");
		return this.operations;
	}

	@Override
	public void destroy() {
		if (this.interceptor != null) {
			DistributedLockAspect.release(this.interceptor);
		}
	}

}
