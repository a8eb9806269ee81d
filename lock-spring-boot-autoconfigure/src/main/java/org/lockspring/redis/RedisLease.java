package org.lockspring.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.FencingToken;

/**
 * An entry of our own on one Redis. Every request compares the exact value.
 */
final class RedisLease implements BackendLease {

	private final RedisCalls calls;

	private final ReleaseChannels channels;

	private final LockAttempt attempt;

	private final String value;

	private final @Nullable FencingToken token;

	private long sentAt;

	private volatile long validUntil;

	RedisLease(RedisCalls calls, ReleaseChannels channels, LockAttempt attempt, @Nullable FencingToken token,
			long sentAt) {
		this.calls = calls;
		this.channels = channels;
		this.attempt = attempt;
		this.value = (token != null) ? attempt.owner() + ":" + token.value() : attempt.owner();
		this.token = token;
		this.sentAt = sentAt;
		this.validUntil = validUntil(sentAt, attempt.ttl());
	}

	/**
	 * The server's clock may run faster than ours by a hundredth, and counts in whole
	 * milliseconds: the allowance of the <a href=
	 * "https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Redis
	 * documentation</a>.
	 */
	static long validUntil(long sentAt, Duration ttl) {
		long nanos = ttl.toNanos();
		return sentAt + nanos - nanos / 100 - Duration.ofMillis(2).toNanos();
	}

	String name() {
		return this.attempt.name();
	}

	String value() {
		return this.value;
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
		try {
			return renewed(now, ttl,
					this.calls.run(LockScript.RENEW, 1, name(), this.value, Long.toString(ttl.toMillis())));
		}
		catch (RuntimeException ex) {
			throw notExtended(ex);
		}
	}

	/**
	 * Take the answer to a renewal; it may come after that to a later one.
	 */
	synchronized Ownership renewed(long sentAt, Duration ttl, long answer) {
		Ownership ownership = ownership(answer);
		if (ownership == Ownership.HELD && sentAt - this.sentAt >= 0) {
			this.sentAt = sentAt;
			this.validUntil = validUntil(sentAt, ttl);
		}
		return ownership;
	}

	@Override
	public CompletionStage<Ownership> release() {
		String channel = this.channels.toPublish(name());
		if (this.attempt.mode() == LockMode.EFFICIENCY) {
			return this.calls.release(name(), this.value, channel, this.channels.command()).handle((answer, ex) -> {
				if (ex != null) {
					throw failure(ex, "could not be released");
				}
				return released((Long) answer, channel);
			});
		}
		try {
			long answer = this.calls.run(LockScript.RELEASE, 1, name(), this.value, channel, this.channels.command());
			return CompletableFuture.completedFuture(released(answer, channel));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(failure(ex, "could not be released"));
		}
	}

	private Ownership released(long answer, String channel) {
		this.channels.published(answer, channel);
		return ownership(answer);
	}

	private static Ownership ownership(long answer) {
		return (answer > 0) ? Ownership.HELD : (answer == 0) ? Ownership.EXPIRED : Ownership.TAKEN;
	}

	LockUnavailableException notExtended(Throwable ex) {
		return failure(ex, "could not be extended");
	}

	private LockUnavailableException failure(Throwable ex, String what) {
		return RedisFailure.translate(ex, "Lock " + this.attempt.description() + " " + what, name(),
				this.channels.address());
	}

}
