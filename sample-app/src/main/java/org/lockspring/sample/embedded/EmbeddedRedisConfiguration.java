package org.lockspring.sample.embedded;

import java.io.IOException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Connection details are what Boot takes in place of {@code spring.data.redis.*}.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(EmbeddedRedisConfiguration.OnNoRedisConfigured.class)
class EmbeddedRedisConfiguration {

	private static final Log logger = LogFactory.getLog(EmbeddedRedisConfiguration.class);

	@Bean
	EmbeddedRedis embeddedRedis(@Value("${ledger.embedded-redis-port}") int port,
			@Value("${spring.datasource.url}") String database) throws IOException {
		EmbeddedRedis redis = new EmbeddedRedis(port);
		logger.info("No spring.data.redis.* is set: %s; the ledger is in %s".formatted(redis, database));
		return redis;
	}

	static class OnNoRedisConfigured implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return !Binder.get(context.getEnvironment())
				.bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
				.isBound();
		}

	}

}
