package org.lockspring.autoconfigure;

import org.lockspring.annotation.DistributedLockBeanPostProcessor;
import org.lockspring.annotation.LockDefinitionValidator;
import org.lockspring.core.LockOperations;
import org.lockspring.core.LockSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Weaves locks by proxies.
 */
@Configuration(proxyBeanMethods = false)
class LockProxyConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockBeanPostProcessor distributedLockBeanPostProcessor(ObjectProvider<LockOperations> operations,
			ObjectProvider<LockSettings> settings, Environment environment) {
		DistributedLockBeanPostProcessor postProcessor = new DistributedLockBeanPostProcessor(operations, settings);
		postProcessor.setOrder(LockAnnotationAutoConfiguration.properties(environment).order());
		return postProcessor;
	}

	@Bean
	LockDefinitionValidator lockDefinitionValidator(ConfigurableListableBeanFactory beanFactory,
			DistributedLockBeanPostProcessor postProcessor) {
		return new LockDefinitionValidator(beanFactory, postProcessor);
	}

}
