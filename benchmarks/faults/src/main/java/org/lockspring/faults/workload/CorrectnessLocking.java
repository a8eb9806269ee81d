package org.lockspring.faults.workload;

import java.util.List;

import org.lockspring.LockMode;
import org.lockspring.annotation.DistributedLock;
import org.lockspring.annotation.OnBusy;
import org.springframework.stereotype.Component;

/**
 * What this library is for.
 */
@Component("correctness")
public class CorrectnessLocking implements Locking {

	@Override
	@DistributedLock(key = "#keys", mode = LockMode.CORRECTNESS)
	public void run(List<String> keys, Body body) throws Exception {
		body.run(new LockedByAnnotation());
	}

	@Override
	@DistributedLock(key = "#key", mode = LockMode.CORRECTNESS, minHold = "600ms", waitTime = "0", onBusy = OnBusy.SKIP)
	public void runOnce(String key, Body body) throws Exception {
		body.run(new LockedByAnnotation());
	}

}
