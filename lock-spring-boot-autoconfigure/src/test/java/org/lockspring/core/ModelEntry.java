package org.lockspring.core;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.lockspring.BackendLease;
import org.lockspring.fencing.FencingToken;

/** An entry in a store that answers at once, and remembers what it was asked. */
final class ModelEntry implements BackendLease {

	private volatile boolean gone;

	private volatile long validUntil = System.nanoTime() + Duration.ofSeconds(30).toNanos();

	private int releases;

	private int renewals;

	/** Asked for after {@link #mark()}. */
	private int later;

	private boolean marked;

	private volatile boolean busy;

	private boolean overlapped;

	@Override
	public FencingToken fencingToken() {
		return null;
	}

	@Override
	public long validUntil() {
		return this.validUntil;
	}

	void expire() {
		this.validUntil = System.nanoTime() - 1;
	}

	synchronized void mark() {
		this.marked = true;
	}

	@Override
	public Ownership renew(Duration ttl) {
		synchronized (this) {
			this.renewals++;
			this.later += this.marked ? 1 : 0;
			this.overlapped |= this.busy;
			this.busy = true;
		}
		if (!this.gone) {
			this.validUntil = System.nanoTime() + ttl.toNanos();
		}
		this.busy = false;
		return this.gone ? Ownership.EXPIRED : Ownership.HELD;
	}

	@Override
	public synchronized CompletionStage<Ownership> release() {
		this.releases++;
		Ownership found = this.gone ? Ownership.EXPIRED : Ownership.HELD;
		this.gone = true;
		return CompletableFuture.completedFuture(found);
	}

	synchronized int releases() {
		return this.releases;
	}

	synchronized int renewals() {
		return this.renewals;
	}

	synchronized boolean overlapped() {
		return this.overlapped;
	}

	synchronized int later() {
		return this.later;
	}

}
