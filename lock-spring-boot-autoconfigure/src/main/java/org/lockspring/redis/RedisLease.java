package org.lockspring.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.fencing.FencingToken;

/**
 * An entry of our own on one Redis. Every request compares the exact value.
 */
final class RedisLease implements BackendLease {

	private final RedisCalls calls;

	private final LockAttempt attempt;

	private final String value;

	private final @Nullable FencingToken token;

	private final String address;

	private volatile long validUntil;

	RedisLease(RedisCalls calls, LockAttempt attempt, @Nullable FencingToken token, String address, long sentAt) {
		this.calls = calls;
		this.attempt = attempt;
		this.value = (token != null) ? attempt.owner() + ":" + token.value() : attempt.owner();
		this.token = token;
		this.address = address;
		this.validUntil = validUntil(sentAt, attempt.ttl());
	}

	/**
	 * The server's clock may run faster than ours by a hundredth, and counts in whole
	 * milliseconds: the allowance of the <a href=
	 * "https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Redis
	 * documentation</a>.
	 */
	private static long validUntil(long sentAt, Duration ttl) {
		long nanos = ttl.toNanos();
		return sentAt + nanos - nanos / 100 - Duration.ofMillis(2).toNanos();
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
		long sentAt = System.nanoTime();
		Ownership ownership = run("could not be extended", LockScript.RENEW, this.attempt.name(), this.value,
				Long.toString(ttl.toMillis()));
		if (ownership == Ownership.HELD) {
			this.validUntil = validUntil(sentAt, ttl);
		}
		return ownership;
	}

	@Override
	public CompletionStage<Ownership> release() {
		try {
			return CompletableFuture
				.completedFuture(run("could not be released", LockScript.RELEASE, this.attempt.name(), this.value));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private Ownership run(String failure, LockScript script, String... keyAndArgs) {
		try {
			long answer = this.calls.run(script, 1, keyAndArgs);
			return (answer > 0) ? Ownership.HELD : (answer == 0) ? Ownership.EXPIRED : Ownership.TAKEN;
		}
		catch (RuntimeException ex) {
			throw RedisFailure.translate(ex, "Lock " + this.attempt.description() + " " + failure, this.attempt.name(),
					this.address);
		}
	}

}
