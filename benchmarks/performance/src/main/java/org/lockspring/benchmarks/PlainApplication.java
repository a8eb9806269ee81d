package org.lockspring.benchmarks;

import java.lang.management.ManagementFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * An application with Redis, which may or may not have the starter.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class PlainApplication {

	/**
	 * Tells how long the start took, from that of the JVM, in ms.
	 * @param args properties
	 */
	public static void main(String[] args) {
		start(PlainApplication.class, args);
	}

	static void start(Class<?> application, String[] args) {
		SpringApplication.run(application, args);
		Jvm.tell(Long.toString(System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime()));
		Jvm.awaitInput();
	}

	@Bean
	Service service(StringRedisTemplate redis) {
		return new Service(redis);
	}

	/**
	 * What an application is for.
	 */
	record Service(StringRedisTemplate redis) {

	}

}
