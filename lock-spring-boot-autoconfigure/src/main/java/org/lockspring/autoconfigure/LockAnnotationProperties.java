package org.lockspring.autoconfigure;

import org.lockspring.annotation.DistributedLockBeanPostProcessor;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the annotation {@code @DistributedLock}.
 *
 * @param mode Way in which annotated methods are woven.
 * @param order Order of the post-processor that adds the lock to a bean. It is applied
 * later the larger it is, and then lies further outside.
 * @since 0.1.0
 */
@ConfigurationProperties("lock.annotation")
public record LockAnnotationProperties(@DefaultValue("proxy") Mode mode,
		@DefaultValue("" + DistributedLockBeanPostProcessor.DEFAULT_ORDER) int order) {

	/**
	 * How annotated methods are woven.
	 */
	public enum Mode {

		/**
		 * By a proxy around the bean. Calls on {@code this} pass it by.
		 */
		PROXY,

		/**
		 * By AspectJ, when classes are loaded or compiled.
		 */
		ASPECTJ

	}

}
