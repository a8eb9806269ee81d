package org.lockspring.core;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.lockspring.CurrentLock;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.fencing.FencingToken;

/**
 * One manual acquisition: a view of a lease, which it leaves once.
 */
final class LeaseHandle implements ManagedLease {

	private final HeldLease lease;

	private final LockedBodies bodies;

	private final CurrentLock.Scope scope;

	private final AtomicBoolean closed = new AtomicBoolean();

	LeaseHandle(HeldLease lease, LockedBodies bodies) {
		this.lease = lease;
		this.bodies = bodies;
		this.scope = CurrentLock.attach(lease);
	}

	@Override
	public String key() {
		return this.lease.key();
	}

	@Override
	public String name() {
		return this.lease.name();
	}

	@Override
	public LockMode mode() {
		return this.lease.mode();
	}

	@Override
	public @Nullable FencingToken fencingToken() {
		return this.lease.fencingToken();
	}

	@Override
	public boolean isValid() {
		return !this.closed.get() && this.lease.isValid();
	}

	@Override
	public Duration remaining() {
		return this.closed.get() ? Duration.ZERO : this.lease.remaining();
	}

	@Override
	public void extend(Duration ttl) {
		if (this.closed.get()) {
			throw new IllegalStateException("The lease of lock '" + key() + "' was closed");
		}
		this.lease.extend(ttl);
	}

	@Override
	public void lose(RuntimeException cause) {
		this.lease.lose(cause);
	}

	@Override
	public void vouch() {
		this.lease.vouch();
	}

	@Override
	public void retractVouch() {
		this.lease.retractVouch();
	}

	/**
	 * Return what this is a view of.
	 */
	HeldLease lease() {
		return this.lease;
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.scope.close();
			this.bodies.leaveCancelled(this.lease);
		}
	}

	/**
	 * Close as at the end of a body.
	 * @throws LockLostException if that end is worth nothing
	 */
	void closeOrThrow() {
		if (this.closed.compareAndSet(false, true)) {
			this.scope.close();
			this.bodies.leaveOrThrow(this.lease);
		}
	}

}
