package org.lockspring.faults.peer;

import java.util.concurrent.TimeUnit;

import org.lockspring.faults.workload.BusyException;
import org.lockspring.faults.workload.OneByOneLocking;
import org.lockspring.faults.workload.Timing;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;

/**
 * Redisson's {@code RFencedLock}, renewed by its watchdog.
 */
@Lazy
@Component("redisson-fenced")
class RFencedLockLocking extends OneByOneLocking {

	private final RedissonClient redisson;

	RFencedLockLocking(RedissonClient redisson) {
		this.redisson = redisson;
	}

	@Override
	protected Taken take(String key) throws Exception {
		RFencedLock lock = this.redisson.getFencedLock(key);
		Long token = lock.tryLockAndGetToken(Timing.WAIT.toMillis(), TimeUnit.MILLISECONDS);
		if (token == null) {
			throw new BusyException();
		}
		return new Taken(token, () -> true, lock::unlock);
	}

}
