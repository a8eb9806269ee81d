package org.lockspring.autoconfigure;

import java.util.concurrent.Executor;

import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.core.HandOverLimits;
import org.lockspring.core.LeaseParticipant;
import org.lockspring.core.LockBackends;
import org.lockspring.core.LockOperations;
import org.lockspring.core.LockRegistry;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockShutdown;
import org.lockspring.core.LockTemplate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;

import org.springframework.boot.autoconfigure.condition.ConditionalOnThreading;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.util.StringUtils;

/**
 * {@link org.springframework.boot.autoconfigure.EnableAutoConfiguration
 * Auto-configuration} for {@link LockTemplate} and the stores behind it.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
		"org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration" })
@EnableConfigurationProperties(LockProperties.class)
@Import({ RedisLockConfiguration.class, RedlockConfiguration.class, EtcdLockConfiguration.class,
		ZooKeeperLockConfiguration.class, MemoryLockConfiguration.class, JdbcLockConfiguration.class })
public final class LockAutoConfiguration {

	private static final int MOST_RENEWALS = 8;

	@Bean
	@ConditionalOnMissingBean
	LockSettings lockSettings(LockProperties properties, Environment environment) {
		String namespace = StringUtils.hasText(properties.namespace()) ? properties.namespace()
				: environment.getProperty("spring.application.name", "");
		return new LockSettings(
				StringUtils.hasText(namespace) ? namespace : "application", properties.ttl(), properties.waitTime(),
				properties.renewal().maxHold(), properties.onLoss(), new HandOverLimits(properties.handOver().enabled(),
						properties.handOver().maxConsecutive(), properties.handOver().maxTime()),
				properties.efficiency().onUnavailable());
	}

	@Bean
	@ConditionalOnMissingBean
	LockBackends lockBackends(LockProperties properties, ObjectProvider<LockBackend> backends) {
		LockBackendSelector selector = new LockBackendSelector(backends);
		return new LockBackends(selector.select(LockMode.EFFICIENCY, properties.efficiency().backend()),
				selector.select(LockMode.CORRECTNESS, properties.correctness().backend()));
	}

	@Bean(defaultCandidate = false)
	@ConditionalOnMissingBean(name = "lockRenewalExecutor")
	@ConditionalOnThreading(Threading.PLATFORM)
	ThreadPoolTaskExecutor lockRenewalExecutor() {
		ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
		executor.setThreadNamePrefix("lock-renewal-");
		executor.setDaemon(true);
		executor.setCorePoolSize(MOST_RENEWALS);
		executor.setAllowCoreThreadTimeOut(true);
		// Needed until the last lease has ended, not only until contexts begin to close
		executor.setPhase(LockShutdown.PHASE - 1);
		executor.setAcceptTasksAfterContextClose(true);
		return executor;
	}

	@Bean(name = "lockRenewalExecutor", defaultCandidate = false)
	@ConditionalOnMissingBean(name = "lockRenewalExecutor")
	@ConditionalOnThreading(Threading.VIRTUAL)
	SimpleAsyncTaskExecutor lockRenewalVirtualThreadExecutor() {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("lock-renewal-");
		executor.setVirtualThreads(true);
		return executor;
	}

	@Bean
	@ConditionalOnMissingBean(LockOperations.class)
	LockTemplate lockTemplate(LockBackends backends, LockSettings settings,
			ObjectProvider<LeaseParticipant> participants, @Qualifier("lockRenewalExecutor") Executor renewals,
			ApplicationEventPublisher events) {
		return new LockTemplate(backends, settings, participants.orderedStream().toList(), renewals,
				events::publishEvent);
	}

	@Bean
	@ConditionalOnBean(LockTemplate.class)
	@ConditionalOnMissingBean
	LockShutdown lockShutdown(LockTemplate template) {
		return new LockShutdown(template);
	}

	@Bean
	@ConditionalOnMissingBean
	LockRegistry lockRegistry(LockOperations operations) {
		return new LockRegistry(operations, LockMode.EFFICIENCY);
	}

}
