package org.lockspring.faults.peer;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.lockspring.faults.workload.BusyException;
import org.lockspring.faults.workload.OneByOneLocking;
import org.lockspring.faults.workload.Timing;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.stereotype.Component;

/**
 * ShedLock's provider as it is by default, asked again and again since it does not wait.
 * It renews nothing shorter than 30 s.
 */
@Lazy
@Component("shedlock")
class ShedLockLocking extends OneByOneLocking {

	private final RedisLockProvider provider;

	ShedLockLocking(RedisConnectionFactory connectionFactory) {
		this.provider = new RedisLockProvider(connectionFactory, "faults");
	}

	@Override
	protected Taken take(String key) throws Exception {
		long start = System.nanoTime();
		while (true) {
			Optional<SimpleLock> lock = this.provider
				.lock(new LockConfiguration(Instant.now(), key, Timing.TTL, Duration.ZERO));
			if (lock.isPresent()) {
				return new Taken(null, () -> true, lock.get()::unlock);
			}
			if (System.nanoTime() - start > Timing.WAIT.toNanos()) {
				throw new BusyException();
			}
			Thread.sleep(10);
		}
	}

}
