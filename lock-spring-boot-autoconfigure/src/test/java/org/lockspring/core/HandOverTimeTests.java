package org.lockspring.core;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.memory.MemoryLockBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** How long a process may keep a lock, and how it lets others go first. */
class HandOverTimeTests {

	private static final LockRequest REQUEST = LockRequest.of("k")
		.withMode(LockMode.CORRECTNESS)
		.withWaitTime(Duration.ofMinutes(1));

	private final MemoryLockBackend store = new MemoryLockBackend();

	private final ControlledBackend backend = new ControlledBackend(this.store);

	@Test
	void timeThatWasWaitedForTheStoreDoesNotCount() {
		Duration maxTime = Duration.ofSeconds(2);
		LockSettings settings = new LockSettings("app", Duration.ofSeconds(30), Duration.ZERO, Duration.ofHours(1),
				OnLoss.FLAG, new HandOverLimits(true, 1000, maxTime), OnUnavailable.FAIL);
		try (LockTemplate template = new LockTemplate(this.backend, settings)) {
			BackendLease elsewhere = ((Acquisition.Granted) this.store.tryAcquire(
					new LockAttempt("app:{k}", "elsewhere", LockMode.CORRECTNESS, Duration.ofMinutes(1), "'k'")))
				.lease();
			CompletableFuture<Void> first = run(template);
			await().until(() -> !this.backend.attempts.isEmpty());
			CompletableFuture<Void> second = run(template);
			long start = System.nanoTime();
			await().until(() -> System.nanoTime() - start > maxTime.toNanos());
			elsewhere.release();
			CompletableFuture.allOf(first, second).join();
			assertThat(this.backend.handOvers).hasValue(1);
		}
	}

	@Test
	void timeGoesOnWhenTheLockIsPassedOn() {
		LocalQueue queue = new LocalQueue(HandOverLimits.DEFAULT, Runnable::run);
		Turn first = new Turn("k", null, Yielding.NO);
		queue.hold(first, null);
		Turn second = new Turn("k", new Inheritance(new ModelEntry(), first, null), Yielding.NO);
		queue.hold(second, null);
		assertThat(second.since).isEqualTo(first.since);
		assertThat(second.passes).isEqualTo(1);
	}

	@Test
	void whoHasWaitedLongestComesFirst() {
		long recently = Yielding.CONTENDED.handicap(Duration.ofMillis(50).toNanos());
		long before = Yielding.CONTENDED.handicap(Duration.ofMillis(150).toNanos());
		assertThat(recently).isGreaterThan(before);
		assertThat(before).isPositive();
		assertThat(Yielding.CONTENDED.handicap(Duration.ofSeconds(1).toNanos())).isZero();
		assertThat(Yielding.NO.handicap(0)).isZero();
		assertThat(Yielding.NO.pause()).isZero();
	}

	private static CompletableFuture<Void> run(LockTemplate template) {
		// Not the common pool, which may have a single thread
		return CompletableFuture.runAsync(() -> template.execute(REQUEST, (lease) -> null),
				(task) -> new Thread(task, "caller").start());
	}

}
