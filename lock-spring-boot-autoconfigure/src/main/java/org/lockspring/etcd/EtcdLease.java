package org.lockspring.etcd;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.FencingToken;

/**
 * A key of our own in etcd, attached to a lease of its own there. The key is ours as long
 * as its create revision is.
 */
final class EtcdLease implements BackendLease {

	private static final long UNKNOWN = -1;

	private final EtcdCalls calls;

	private final String endpoints;

	private final LockAttempt attempt;

	private final ByteSequence key;

	private final long createRevision;

	private long leaseId;

	/**
	 * The time to live that the lease was asked to have; unknown if the key may be
	 * attached to another one by now.
	 */
	private long seconds = UNKNOWN;

	private volatile long validUntil = System.nanoTime();

	/**
	 * Create a lease that is not valid until it was renewed.
	 */
	EtcdLease(EtcdCalls calls, String endpoints, LockAttempt attempt, KeyValue entry) {
		this.calls = calls;
		this.endpoints = endpoints;
		this.attempt = attempt;
		this.key = entry.getKey();
		this.createRevision = entry.getCreateRevision();
		this.leaseId = entry.getLease();
	}

	/**
	 * Take over the time to live with which the key was put.
	 */
	EtcdLease grantedFor(long sentAt, LeaseGrantResponse grant) {
		this.seconds = seconds(this.attempt.ttl());
		this.validUntil = validUntil(sentAt, this.attempt.ttl(), grant.getTTL());
		return this;
	}

	/**
	 * etcd counts leases in whole seconds.
	 */
	static long seconds(Duration ttl) {
		return ttl.plusSeconds(1).minusNanos(1).toSeconds();
	}

	/**
	 * The server's clock may run faster than ours by a hundredth.
	 */
	private static long validUntil(long sentAt, Duration ttl, long granted) {
		long nanos = Math.min(ttl.toNanos(), Duration.ofSeconds(granted).toNanos());
		return sentAt + nanos - nanos / 100 - Duration.ofMillis(2).toNanos();
	}

	@Override
	public @Nullable FencingToken fencingToken() {
		return (this.attempt.mode() == LockMode.CORRECTNESS)
				? new FencingToken(this.createRevision, this.attempt.owner()) : null;
	}

	@Override
	public long validUntil() {
		return this.validUntil;
	}

	@Override
	public synchronized Ownership renew(Duration ttl) {
		long sentAt = System.nanoTime();
		try {
			long granted = (this.seconds == seconds(ttl)) ? this.calls.keepAlive(this.leaseId) : 0;
			KeyValue entry = this.calls.get(this.key);
			if (entry == null || entry.getCreateRevision() != this.createRevision) {
				return notOurs(entry);
			}
			if (granted > 0 && entry.getLease() == this.leaseId) {
				this.validUntil = validUntil(sentAt, ttl, granted);
				return Ownership.HELD;
			}
			return attach(entry, ttl);
		}
		catch (RuntimeException ex) {
			throw failure(ex, "could not be extended");
		}
	}

	/**
	 * A lease in etcd keeps the time to live it was granted for: another time needs
	 * another lease.
	 */
	private Ownership attach(KeyValue entry, Duration ttl) {
		long sentAt = System.nanoTime();
		LeaseGrantResponse grant = this.calls.grant(seconds(ttl));
		long end = validUntil(sentAt, ttl, grant.getTTL());
		// Without an answer it may be attached, at once or later, until it is put again
		this.seconds = UNKNOWN;
		this.validUntil = (end - this.validUntil < 0) ? end : this.validUntil;
		TxnResponse answer = this.calls.attach(entry, grant.getID());
		if (!answer.isSucceeded()) {
			this.calls.revoke(grant.getID());
			KeyValue found = EtcdCalls.entry(answer);
			if (found != null && found.getCreateRevision() == this.createRevision) {
				throw new IllegalStateException("an earlier request arrived late");
			}
			return notOurs(found);
		}
		this.calls.revoke(entry.getLease());
		this.leaseId = grant.getID();
		this.seconds = seconds(ttl);
		this.validUntil = end;
		return Ownership.HELD;
	}

	@Override
	public synchronized CompletionStage<Ownership> release() {
		try {
			TxnResponse answer = this.calls.delete(this.key, this.createRevision);
			this.calls.revoke(this.leaseId);
			return CompletableFuture
				.completedFuture(answer.isSucceeded() ? Ownership.HELD : notOurs(EtcdCalls.entry(answer)));
		}
		catch (RuntimeException ex) {
			this.calls.abandon(this.leaseId, this.validUntil);
			return CompletableFuture.failedFuture(failure(ex, "could not be released"));
		}
	}

	private static Ownership notOurs(@Nullable KeyValue found) {
		return (found == null) ? Ownership.EXPIRED : Ownership.TAKEN;
	}

	private LockUnavailableException failure(RuntimeException ex, String what) {
		return EtcdFailure.translate(ex, "Lock " + this.attempt.description() + " " + what, this.attempt.name(),
				this.endpoints);
	}

}
