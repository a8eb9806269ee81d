package org.lockspring.benchmarks;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The same application with the starter, and two methods that use it.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ PlainApplication.class, AnnotatedMethods.class })
class StarterApplication {

	public static void main(String[] args) {
		PlainApplication.start(StarterApplication.class, args);
	}

}
