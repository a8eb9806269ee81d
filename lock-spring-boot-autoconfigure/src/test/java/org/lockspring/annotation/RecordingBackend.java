package org.lockspring.annotation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;
import org.lockspring.Acquisition;
import org.lockspring.Assumption;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.fencing.FencingToken;
import org.lockspring.memory.MemoryLockBackend;

/**
 * A real store that remembers what it was asked, in order.
 */
class RecordingBackend implements LockBackend {

	private final MemoryLockBackend store = new MemoryLockBackend();

	final List<String> events = new CopyOnWriteArrayList<>();

	final List<LockAttempt> attempts = new CopyOnWriteArrayList<>();

	@Override
	public String name() {
		return "recording";
	}

	@Override
	public boolean supports(LockMode mode) {
		return true;
	}

	@Override
	public Acquisition tryAcquire(LockAttempt attempt) {
		this.attempts.add(attempt);
		Acquisition acquisition = this.store.tryAcquire(attempt);
		if (acquisition instanceof Acquisition.Granted granted) {
			this.events.add("acquired " + key(attempt.name()));
			return new Acquisition.Granted(new Recorded(attempt, granted.lease()));
		}
		this.events.add("busy " + key(attempt.name()));
		return acquisition;
	}

	@Override
	public List<Assumption> assumptions(LockMode mode) {
		return List.of();
	}

	/** Take a key as another process would. */
	BackendLease holdElsewhere(String key) {
		return holdElsewhere(key, Duration.ofMinutes(1));
	}

	BackendLease holdElsewhere(String key, Duration ttl) {
		LockAttempt attempt = new LockAttempt("application:{" + key + "}", "elsewhere", LockMode.EFFICIENCY, ttl,
				"a test");
		return ((Acquisition.Granted) this.store.tryAcquire(attempt)).lease();
	}

	boolean isFree(String key) {
		LockAttempt attempt = new LockAttempt("application:{" + key + "}", "probe", LockMode.EFFICIENCY,
				Duration.ofMinutes(1), "a test");
		if (this.store.tryAcquire(attempt) instanceof Acquisition.Granted granted) {
			granted.lease().release();
			return true;
		}
		return false;
	}

	/** Return the keys that were granted. */
	List<String> acquired() {
		return this.events.stream()
			.filter((event) -> event.startsWith("acquired "))
			.map((event) -> event.substring("acquired ".length()))
			.toList();
	}

	void clear() {
		this.events.clear();
		this.attempts.clear();
	}

	private static String key(String name) {
		return name.substring(name.indexOf('{') + 1, name.length() - 1);
	}

	private final class Recorded implements BackendLease {

		private final LockAttempt attempt;

		private final BackendLease lease;

		Recorded(LockAttempt attempt, BackendLease lease) {
			this.attempt = attempt;
			this.lease = lease;
		}

		@Override
		public @Nullable FencingToken fencingToken() {
			return this.lease.fencingToken();
		}

		@Override
		public long validUntil() {
			return this.lease.validUntil();
		}

		@Override
		public Ownership renew(Duration ttl) {
			return this.lease.renew(ttl);
		}

		@Override
		public CompletionStage<Ownership> release() {
			RecordingBackend.this.events.add("released " + key(this.attempt.name()));
			return this.lease.release();
		}

	}

}
