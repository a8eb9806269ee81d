package org.lockspring.faults.peer;

import java.util.concurrent.TimeUnit;

import org.lockspring.faults.workload.BusyException;
import org.lockspring.faults.workload.OneByOneLocking;
import org.lockspring.faults.workload.Timing;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;

/**
 * Redisson's {@code RLock}, renewed by its watchdog.
 */
@Lazy
@Component("redisson-rlock")
class RLockLocking extends OneByOneLocking {

	private final RedissonClient redisson;

	RLockLocking(RedissonClient redisson) {
		this.redisson = redisson;
	}

	@Override
	protected Taken take(String key) throws Exception {
		RLock lock = this.redisson.getLock(key);
		if (!lock.tryLock(Timing.WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new BusyException();
		}
		return new Taken(null, () -> true, lock::unlock);
	}

}
