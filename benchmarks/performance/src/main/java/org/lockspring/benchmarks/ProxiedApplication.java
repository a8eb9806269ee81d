package org.lockspring.benchmarks;

import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.stereotype.Component;

/**
 * The same application with one bean that has a proxy, as each with a transaction has.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ PlainApplication.class, ProxiedApplication.Methods.class })
class ProxiedApplication {

	public static void main(String[] args) {
		PlainApplication.start(ProxiedApplication.class, args);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DefaultPointcutAdvisor advisor() {
		MethodInterceptor proceed = (invocation) -> invocation.proceed();
		return new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(Component.class), proceed);
	}

	/**
	 * A bean as an application has it.
	 */
	@Component
	static class Methods {

		void run(Runnable body) {
			body.run();
		}

	}

}
