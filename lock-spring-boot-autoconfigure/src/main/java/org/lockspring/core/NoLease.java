package org.lockspring.core;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.fencing.FencingToken;

/**
 * What a body gets that runs without a lock, since its store did not answer.
 *
 * @param request what was asked for
 */
record NoLease(LockRequest request) implements LockLease {

	@Override
	public String key() {
		return this.request.key();
	}

	@Override
	public String name() {
		return this.request.key();
	}

	@Override
	public LockMode mode() {
		return this.request.mode();
	}

	@Override
	public @Nullable FencingToken fencingToken() {
		return null;
	}

	@Override
	public boolean isValid() {
		return false;
	}

	@Override
	public Duration remaining() {
		return Duration.ZERO;
	}

	@Override
	public void extend(Duration ttl) {
		throw new LockLostException("Lock " + this.request.description() + " is not held: its store did not answer");
	}

	@Override
	public void close() {
	}

}
