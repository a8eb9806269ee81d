package org.lockspring.autoconfigure;

import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.core.LeaseParticipant;
import org.lockspring.core.LockBackends;
import org.lockspring.core.LockOperations;
import org.lockspring.core.LockRegistry;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * {@link org.springframework.boot.autoconfigure.EnableAutoConfiguration
 * Auto-configuration} for {@link LockTemplate} and the stores behind it.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DataRedisAutoConfiguration.class)
@EnableConfigurationProperties(LockProperties.class)
@Import({ RedisLockConfiguration.class, MemoryLockConfiguration.class })
public final class LockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockSettings lockSettings(LockProperties properties, Environment environment) {
		String namespace = StringUtils.hasText(properties.namespace()) ? properties.namespace()
				: environment.getProperty("spring.application.name", "");
		return new LockSettings(StringUtils.hasText(namespace) ? namespace : "application", properties.ttl(),
				properties.waitTime());
	}

	@Bean
	@ConditionalOnMissingBean
	LockBackends lockBackends(LockProperties properties, ObjectProvider<LockBackend> backends) {
		LockBackendSelector selector = new LockBackendSelector(backends);
		return new LockBackends(selector.select(LockMode.EFFICIENCY, properties.efficiency().backend()),
				selector.select(LockMode.CORRECTNESS, properties.correctness().backend()));
	}

	@Bean
	@ConditionalOnMissingBean(LockOperations.class)
	LockTemplate lockTemplate(LockBackends backends, LockSettings settings,
			ObjectProvider<LeaseParticipant> participants) {
		return new LockTemplate(backends, settings, participants.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	LockRegistry lockRegistry(LockOperations operations) {
		return new LockRegistry(operations, LockMode.EFFICIENCY);
	}

}
