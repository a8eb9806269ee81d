package org.lockspring.faults.workload;

import org.jspecify.annotations.Nullable;
import org.lockspring.CurrentLock;
import org.lockspring.fencing.FencingToken;

/**
 * The leases of the running method.
 */
final class LockedByAnnotation implements Holding {

	@Override
	public @Nullable Long token(String key) {
		FencingToken token = CurrentLock.lease(key).fencingToken();
		return (token != null) ? token.value() : null;
	}

	@Override
	public boolean isValid(String key) {
		return CurrentLock.lease(key).isValid();
	}

}
