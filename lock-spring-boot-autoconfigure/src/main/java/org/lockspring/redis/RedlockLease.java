package org.lockspring.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.fencing.FencingToken;
import org.lockspring.redis.RedlockRound.Result;

/**
 * Entries of our own on a quorum of servers. Renewed only where the server's answer is
 * known: the entry's exact value is compared.
 */
final class RedlockLease implements BackendLease {

	private final RedlockBackend backend;

	private final LockAttempt attempt;

	private final String owner;

	private final RedlockRound grants;

	private final @Nullable FencingToken token;

	private long sentAt;

	private volatile long validUntil;

	RedlockLease(RedlockBackend backend, LockAttempt attempt, String owner, RedlockRound grants,
			@Nullable FencingToken token, long sentAt) {
		this.backend = backend;
		this.attempt = attempt;
		this.owner = owner;
		this.grants = grants;
		this.token = token;
		this.sentAt = sentAt;
		this.validUntil = RedisLease.validUntil(sentAt, attempt.ttl());
	}

	@Override
	public @Nullable FencingToken fencingToken() {
		return this.token;
	}

	@Override
	public long validUntil() {
		return this.validUntil;
	}

	@Override
	public Ownership renew(Duration ttl) {
		long now = System.nanoTime();
		Map<RedlockNode, Long> granted = this.grants.agreed();
		Result result = this.backend.renew(this.attempt, this.owner, granted, ttl);
		if (result.enough()) {
			renewed(now, ttl);
			return Ownership.HELD;
		}
		if (granted.size() - result.refused().size() < this.backend.quorum()) {
			return ownership(result);
		}
		throw this.backend.unavailable(this.attempt, "could not be extended", result);
	}

	private synchronized void renewed(long sentAt, Duration ttl) {
		if (sentAt - this.sentAt >= 0) {
			this.sentAt = sentAt;
			this.validUntil = RedisLease.validUntil(sentAt, ttl);
		}
	}

	@Override
	public CompletionStage<Ownership> release() {
		return this.backend.release(this.attempt, this.owner).thenApply((result) -> {
			if (result.enough()) {
				return Ownership.HELD;
			}
			if (!result.refused().isEmpty()) {
				return ownership(result);
			}
			throw this.backend.unavailable(this.attempt, "could not be released", result);
		});
	}

	private static Ownership ownership(Result result) {
		return result.refused().contains(-1L) ? Ownership.TAKEN : Ownership.EXPIRED;
	}

}
