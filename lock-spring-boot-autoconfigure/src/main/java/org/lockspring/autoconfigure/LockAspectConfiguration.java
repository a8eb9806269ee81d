package org.lockspring.autoconfigure;

import org.lockspring.annotation.DistributedLockAspectConfigurer;
import org.lockspring.annotation.LockDefinitionValidator;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Serves locks that AspectJ wove.
 */
@Configuration(proxyBeanMethods = false)
class LockAspectConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockAspectConfigurer distributedLockAspectConfigurer() {
		return new DistributedLockAspectConfigurer();
	}

	@Bean
	LockDefinitionValidator lockDefinitionValidator(ConfigurableListableBeanFactory beanFactory,
			DistributedLockAspectConfigurer configurer) {
		return new LockDefinitionValidator(beanFactory, configurer);
	}

}
