package org.lockspring.memory;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.lockspring.Acquisition;
import org.lockspring.Assumption;
import org.lockspring.AllOrNothing;
import org.lockspring.BackendLease;
import org.lockspring.HandingOver;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.fencing.FencingToken;

/**
 * Locks that only this object knows: for tests, and for an application that never runs
 * twice. One counter serves all locks, so that nothing is kept per key. It starts at 1 in
 * every process: a fencing guard whose database outlives the process refuses the tokens
 * of the next one.
 *
 * @since 0.1.0
 */
public final class MemoryLockBackend implements LockBackend, HandingOver, AllOrNothing {

	private final Map<String, Entry> entries = new ConcurrentHashMap<>();

	private final AtomicLong counter = new AtomicLong();

	@Override
	public String name() {
		return "memory";
	}

	@Override
	public boolean supports(LockMode mode) {
		return true;
	}

	@Override
	public Acquisition tryAcquire(LockAttempt attempt) {
		return tryAcquire(attempt, "");
	}

	@Override
	public CompletionStage<Acquisition> handOver(BackendLease from, LockAttempt attempt) {
		return CompletableFuture.completedFuture(tryAcquire(attempt, ((Lease) from).mine.owner));
	}

	@Override
	public boolean canTakeTogether(Collection<String> names) {
		return true;
	}

	@Override
	public synchronized Answer tryAcquireAll(List<LockAttempt> attempts) {
		long now = System.nanoTime();
		for (LockAttempt attempt : attempts) {
			Entry held = this.entries.get(attempt.name());
			if (held != null && !held.isOver(now) && !held.owner.equals(attempt.owner())) {
				return new Answer.OneBusy(attempts.indexOf(attempt), Duration.ofNanos(held.until - now));
			}
		}
		// Nobody else takes one meanwhile, and whoever frees one does no harm
		return new Answer.AllGranted(
				attempts.stream().map((attempt) -> ((Acquisition.Granted) tryAcquire(attempt, "")).lease()).toList());
	}

	private synchronized Acquisition tryAcquire(LockAttempt attempt, String replaced) {
		long now = System.nanoTime();
		Entry entry = this.entries.compute(attempt.name(), (name, held) -> {
			if (held == null || held.isOver(now) || held.owner.equals(replaced)) {
				return new Entry(attempt.owner(), token(attempt), now + attempt.ttl().toNanos());
			}
			return held.owner.equals(attempt.owner()) ? held.until(now + attempt.ttl().toNanos()) : held;
		});
		if (entry.owner.equals(attempt.owner())) {
			return new Acquisition.Granted(new Lease(attempt.name(), entry));
		}
		return new Acquisition.Busy(Duration.ofNanos(entry.until - now));
	}

	private @Nullable FencingToken token(LockAttempt attempt) {
		return (attempt.mode() == LockMode.CORRECTNESS)
				? new FencingToken(this.counter.incrementAndGet(), attempt.owner()) : null;
	}

	@Override
	public List<Assumption> assumptions(LockMode mode) {
		return List.of(Assumption.unchecked("Nobody else than this process takes these locks"));
	}

	/**
	 * Forget every lock, as a store that is wiped does. Tokens keep rising.
	 */
	public void reset() {
		this.entries.clear();
	}

	private record Entry(String owner, @Nullable FencingToken token, long until) {

		boolean isOver(long now) {
			return this.until - now <= 0;
		}

		Entry until(long until) {
			return new Entry(this.owner, this.token, until);
		}

	}

	private final class Lease implements BackendLease {

		private final String name;

		private volatile Entry mine;

		Lease(String name, Entry mine) {
			this.name = name;
			this.mine = mine;
		}

		@Override
		public @Nullable FencingToken fencingToken() {
			return this.mine.token;
		}

		@Override
		public long validUntil() {
			return this.mine.until;
		}

		@Override
		public Ownership renew(Duration ttl) {
			long now = System.nanoTime();
			Entry after = MemoryLockBackend.this.entries.computeIfPresent(this.name, (name, held) -> {
				if (held.isOver(now)) {
					return null;
				}
				return isMine(held) ? held.until(now + ttl.toNanos()) : held;
			});
			Ownership ownership = ownership(after);
			if (after != null && ownership == Ownership.HELD) {
				this.mine = after;
			}
			return ownership;
		}

		@Override
		public CompletionStage<Ownership> release() {
			long now = System.nanoTime();
			Ownership[] found = { Ownership.EXPIRED };
			MemoryLockBackend.this.entries.computeIfPresent(this.name, (name, held) -> {
				if (held.isOver(now)) {
					return null;
				}
				found[0] = ownership(held);
				return (found[0] == Ownership.HELD) ? null : held;
			});
			return CompletableFuture.completedFuture(found[0]);
		}

		private Ownership ownership(@Nullable Entry held) {
			if (held == null) {
				return Ownership.EXPIRED;
			}
			return isMine(held) ? Ownership.HELD : Ownership.TAKEN;
		}

		private boolean isMine(Entry held) {
			return held.owner.equals(this.mine.owner);
		}

	}

}
