package org.lockspring.faults.peer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.lockspring.faults.workload.BusyException;
import org.lockspring.faults.workload.OneByOneLocking;
import org.lockspring.faults.workload.Timing;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.stereotype.Component;

/**
 * Spring Integration's {@code RedisLockRegistry}, with renewal.
 */
@Lazy
@Component("spring-integration")
class SpringIntegrationLocking extends OneByOneLocking {

	private final RedisLockRegistry registry;

	SpringIntegrationLocking(RedisConnectionFactory connectionFactory) {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setPoolSize(2);
		scheduler.setDaemon(true);
		scheduler.initialize();
		this.registry = new RedisLockRegistry(connectionFactory, "faults", Timing.TTL);
		this.registry.setRenewalTaskScheduler(scheduler);
	}

	@Override
	protected Taken take(String key) throws Exception {
		Lock lock = this.registry.obtain(key);
		if (!lock.tryLock(Timing.WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new BusyException();
		}
		return new Taken(null, () -> true, lock::unlock);
	}

}
