package org.lockspring.sample.embedded;

import java.io.IOException;
import java.util.Collections;
import java.util.Set;

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
import org.springframework.context.annotation.Profile;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Connection details are what Boot takes in place of {@code spring.data.redis.*}.
 */
@Configuration(proxyBeanMethods = false)
@Profile("!redlock & !jdbc & !etcd & !zookeeper")
@Conditional(EmbeddedRedisConfiguration.OnNoRedisConfigured.class)
class EmbeddedRedisConfiguration {

	private static final Log logger = LogFactory.getLog(EmbeddedRedisConfiguration.class);

	@Bean
	EmbeddedRedis embeddedRedis(@Value("${ledger.embedded-redis-port}") int port,
			@Value("${spring.datasource.url}") String database) throws IOException {
		EmbeddedRedis redis = new EmbeddedRedis(port);
		logger.info("No address of a Redis is set: %s; the ledger is in %s".formatted(redis, database));
		return redis;
	}

	static class OnNoRedisConfigured implements Condition {

		private static final Set<String> ADDRESSES = Set.of("host", "port", "url", "sentinel", "cluster",
				"masterreplica");

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return Binder.get(context.getEnvironment())
				.bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
				.map((properties) -> Collections.disjoint(properties.keySet(), ADDRESSES))
				.orElse(true);
		}

	}

}
