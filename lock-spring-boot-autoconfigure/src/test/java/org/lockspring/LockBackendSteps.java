package org.lockspring;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.fencing.FencingToken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * The words in which {@link LockBackendContract} is written, and what a store may adjust.
 */
abstract class LockBackendSteps {

	static final Duration LONG = Duration.ofMinutes(10);

	final String id = UUID.randomUUID().toString();

	/**
	 * Return what the names of this test's locks begin with.
	 * @return unique
	 */
	protected final String id() {
		return this.id;
	}

	/**
	 * Return the backend under test. Called often; always returns the same store.
	 * @return the backend
	 */
	protected abstract LockBackend backend();

	/**
	 * Return a ttl that is worth waiting for.
	 * @return the default is 300 ms; a store that counts in seconds needs more
	 */
	protected Duration shortTtl() {
		return Duration.ofMillis(300);
	}

	/**
	 * Return how much later than its ttl an entry may vanish.
	 * @return the default is 100 ms
	 */
	protected Duration expiryMargin() {
		return Duration.ofMillis(100);
	}

	/**
	 * Return how many threads compete for one lock.
	 * @return the default is 8, each with {@link #rounds()} rounds
	 */
	protected int threads() {
		return 8;
	}

	protected int rounds() {
		return 25;
	}

	LockAttempt attempt(LockMode mode, Duration ttl) {
		assumeSupported(mode);
		return attempt(this.id + ":{key}", mode, ttl);
	}

	static LockAttempt attempt(String name, LockMode mode, Duration ttl) {
		return new LockAttempt(name, UUID.randomUUID().toString(), mode, ttl, "'" + name + "'");
	}

	List<LockAttempt> several(LockMode mode, String... keys) {
		assumeSupported(mode);
		return Stream.of(keys).map((key) -> attempt(this.id + ":{" + key + "}", mode, LONG)).toList();
	}

	AllOrNothing together() {
		assumeThat(backend()).isInstanceOf(AllOrNothing.class);
		return (AllOrNothing) backend();
	}

	List<BackendLease> acquireAll(List<LockAttempt> attempts) {
		AllOrNothing.Answer answer = together().tryAcquireAll(attempts);
		assertThat(answer).isInstanceOf(AllOrNothing.Answer.AllGranted.class);
		return ((AllOrNothing.Answer.AllGranted) answer).leases();
	}

	void assumeSupported(LockMode mode) {
		assumeThat(backend().supports(mode)).as("supports " + mode).isTrue();
	}

	BackendLease acquire(LockAttempt attempt) {
		Acquisition acquisition = backend().tryAcquire(attempt);
		assertThat(acquisition).isInstanceOf(Acquisition.Granted.class);
		return ((Acquisition.Granted) acquisition).lease();
	}

	BackendLease acquireWhenFree(LockAttempt attempt) {
		Acquisition acquisition = await().pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.atMost(shortTtl().multipliedBy(2).plus(expiryMargin().multipliedBy(50)))
			.until(() -> backend().tryAcquire(attempt), Acquisition.Granted.class::isInstance);
		return ((Acquisition.Granted) acquisition).lease();
	}

	void assertBusy(LockAttempt attempt) {
		assertThat(backend().tryAcquire(attempt)).isInstanceOf(Acquisition.Busy.class);
	}

	void assertStillHeld(BackendLease lease) {
		assertBusy(attempt(LockMode.EFFICIENCY, LONG));
		assertThat(lease.renew(LONG)).isEqualTo(Ownership.HELD);
	}

	static Ownership release(BackendLease lease) {
		return lease.release().toCompletableFuture().join();
	}

	/**
	 * Wait until what was set with this ttl, before the call, has ended. A store that can
	 * be asked need not wait for the {@linkplain #expiryMargin() margin}.
	 * @param ttl the ttl
	 */
	protected void awaitExpiry(Duration ttl) {
		awaitTime(ttl);
	}

	/** Wait until what would have ended with this ttl would have ended. */
	void awaitTime(Duration ttl) {
		long end = System.nanoTime() + ttl.plus(expiryMargin()).toNanos();
		await().pollInterval(Duration.ofMillis(5)).until(() -> System.nanoTime() - end > 0);
	}

	static FencingToken requireNewer(BackendLease lease, @Nullable FencingToken last) {
		FencingToken token = lease.fencingToken();
		assertThat(token).isNotNull();
		if (last != null) {
			assertThat(token.isNewerThan(last)).as("%s newer than %s", token, last).isTrue();
		}
		return token;
	}

}
