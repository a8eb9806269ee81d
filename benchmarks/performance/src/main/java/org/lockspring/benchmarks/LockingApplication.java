package org.lockspring.benchmarks;

import org.lockspring.autoconfigure.LockAnnotationAutoConfiguration;
import org.lockspring.autoconfigure.LockAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * An application with Redis and the starter, and nothing else that happens to be on the
 * class path of the benchmarks.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
		LockAnnotationAutoConfiguration.class })
@Import(AnnotatedMethods.class)
class LockingApplication {

}
