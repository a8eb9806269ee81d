package org.lockspring.faults.peer;

import org.lockspring.faults.workload.Timing;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * A client whose locks are renewed, with our ttl.
 */
@Configuration(proxyBeanMethods = false)
class Redissons {

	@Lazy
	@Bean(destroyMethod = "shutdown")
	RedissonClient redisson(@Value("${spring.data.redis.port}") int port) {
		Config config = new Config();
		config.setLockWatchdogTimeout(Timing.TTL.toMillis());
		config.setThreads(2).setNettyThreads(2);
		config.useSingleServer()
			.setAddress("redis://127.0.0.1:" + port)
			.setTimeout(500)
			.setConnectTimeout(500)
			.setRetryAttempts(1)
			.setConnectionMinimumIdleSize(1)
			.setConnectionPoolSize(16)
			.setSubscriptionConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionPoolSize(8);
		return Redisson.create(config);
	}

}
