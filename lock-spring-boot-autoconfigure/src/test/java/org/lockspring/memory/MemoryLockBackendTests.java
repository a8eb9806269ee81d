package org.lockspring.memory;

import org.lockspring.LockBackend;
import org.lockspring.LockBackendContract;

class MemoryLockBackendTests extends LockBackendContract {

	private final LockBackend backend = new MemoryLockBackend();

	@Override
	protected LockBackend backend() {
		return this.backend;
	}

}
