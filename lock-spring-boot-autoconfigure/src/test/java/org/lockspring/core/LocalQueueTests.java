package org.lockspring.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.CurrentLock;
import org.lockspring.LockAttempt;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.memory.MemoryLockBackend;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Callers of one process that want the same lock. */
class LocalQueueTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final LockRequest FENCED = LockRequest.of("k").withMode(LockMode.CORRECTNESS);

	private final MemoryLockBackend store = new MemoryLockBackend();

	private final ControlledBackend backend = new ControlledBackend(this.store);

	private final List<Thread> threads = new ArrayList<>();

	private LockTemplate template = template(new HandOverLimits(true, 1000, LONG));

	private LockTemplate template(HandOverLimits limits) {
		LockSettings settings = new LockSettings("app", LONG, LONG, Duration.ofHours(1), OnLoss.FLAG, limits,
				OnUnavailable.FAIL);
		return new LockTemplate(new LockBackends(this.backend, this.backend), settings, List.of(),
				new SimpleAsyncTaskExecutor(), (event) -> {
				});
	}

	@AfterEach
	void nothingIsLeftBehind() throws InterruptedException {
		for (Thread thread : this.threads) {
			thread.join();
		}
		this.template.close();
		assertThat(this.template.isIdle()).isTrue();
		assertThat(CurrentLock.leases()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void waitersAreServedInTheOrderTheyCameAndOnlyTheirFirstAsksTheStore(LockMode mode) {
		LockLease held = this.template.acquire(LockRequest.of("k").withMode(mode));
		List<Integer> served = new CopyOnWriteArrayList<>();
		List<Long> tokens = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 8; i++) {
			int number = i;
			Thread thread = start(() -> this.template.execute(LockRequest.of("k").withMode(mode), (lease) -> {
				served.add(number);
				if (lease.fencingToken() != null) {
					tokens.add(lease.fencingToken().value());
				}
				return null;
			}));
			await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		}
		assertThat(this.backend.attempts).hasSize(1);
		held.close();
		await().until(() -> served.size() == 8);
		assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
		assertThat(tokens).isSorted().doesNotHaveDuplicates().hasSize((mode == LockMode.CORRECTNESS) ? 8 : 0);
		assertThat(this.backend.attempts).hasSize(1);
		assertThat(this.backend.handOvers).hasValue((mode == LockMode.CORRECTNESS) ? 8 : 0);
		await().until(() -> this.backend.released.size() == 1);
	}

	@Test
	void withoutHandOverEachReleasesToTheStore() {
		this.template.close();
		this.template = template(new HandOverLimits(false, 1000, LONG));
		LockLease held = this.template.acquire("k");
		for (int i = 0; i < 3; i++) {
			Thread thread = start(() -> this.template.execute("k", (lease) -> null));
			await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		}
		held.close();
		await().until(() -> this.backend.released.size() == 4);
		assertThat(this.backend.attempts).hasSize(4);
	}

	@Test
	void handOverEndsAfterTheGivenNumber() {
		this.template.close();
		this.template = template(new HandOverLimits(true, 2, LONG));
		LockLease held = this.template.acquire("k");
		for (int i = 0; i < 6; i++) {
			Thread thread = start(() -> this.template.execute("k", (lease) -> null));
			await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		}
		held.close();
		// Taken and passed on twice: 3 holders for each entry, 7 holders in all
		await().until(() -> this.backend.released.size() == 3);
		assertThat(this.backend.attempts).hasSize(3);
	}

	@Test
	void nextHolderIsWokenByTheAnswerThatTheOneBeforeAskedFor() {
		this.backend.handOverAnswers = new CompletableFuture<>();
		LockLease held = this.template.acquire(FENCED);
		List<Long> tokens = new CopyOnWriteArrayList<>();
		Thread next = start(() -> this.template.execute(FENCED, (lease) -> tokens.add(lease.fencingToken().value())));
		await().until(() -> next.getState() == Thread.State.TIMED_WAITING);
		held.close();
		assertThat(this.backend.handOvers).hasValue(1);
		assertThat(this.backend.released).isEmpty();
		assertThat(tokens).isEmpty();
		this.backend.handOverAnswers.complete(null);
		await().until(() -> tokens.size() == 1);
		assertThat(this.backend.attempts).hasSize(1);
	}

	@Test
	void nextHolderAsksItselfIfTheOneBeforeGotNoAnswer() {
		this.backend.handOverAnswers = CompletableFuture
			.failedFuture(new LockUnavailableException("No answer", null, true));
		LockLease held = this.template.acquire(FENCED);
		List<Long> tokens = new CopyOnWriteArrayList<>();
		Thread next = start(() -> this.template.execute(FENCED, (lease) -> tokens.add(lease.fencingToken().value())));
		await().until(() -> next.getState() == Thread.State.TIMED_WAITING);
		// What was granted without anybody's knowing is given back by then
		this.backend.onRequest = () -> {
			if (this.backend.attempts.size() == 2 && tokens.isEmpty()) {
				this.store.reset();
			}
		};
		held.close();
		await().until(() -> tokens.size() == 1);
		assertThat(this.backend.attempts).extracting(LockAttempt::owner).doesNotHaveDuplicates().hasSize(2);
	}

	@Test
	void answerThatNobodyWaitsForAnyLongerIsGivenBack() {
		this.backend.handOverAnswers = new CompletableFuture<>();
		LockLease held = this.template.acquire(FENCED);
		Thread next = start(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.execute(FENCED, (lease) -> null)));
		await().until(() -> next.getState() == Thread.State.TIMED_WAITING);
		held.close();
		next.interrupt();
		await().until(() -> !next.isAlive());
		LockAttempt other = new LockAttempt("app:{k}", "other", LockMode.CORRECTNESS, LONG, "'k'");
		assertThat(this.store.tryAcquire(other)).isInstanceOf(Acquisition.Busy.class);
		this.backend.handOverAnswers.complete(null);
		await().until(() -> this.store.tryAcquire(other) instanceof Acquisition.Granted);
	}

	@Test
	void answerThatComesAfterTheWaitTimeIsGivenBackBeforeTheTurnPassesOn() {
		this.backend.handOverAnswers = new CompletableFuture<>();
		LockLease held = this.template.acquire(FENCED);
		Thread next = start(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.execute(FENCED.withWaitTime(Duration.ofSeconds(1)), (lease) -> null)));
		await().until(() -> next.getState() == Thread.State.TIMED_WAITING);
		held.close();
		await().until(() -> !next.isAlive());
		assertThat(this.template.isIdle()).isFalse();
		this.backend.handOverAnswers.complete(null);
		await().until(this.template::isIdle);
		assertThat(this.template.tryAcquire(FENCED.withWaitTime(Duration.ZERO))).hasValueSatisfying(LockLease::close);
	}

	@Test
	void whoTakesTheLockAnewMayPassItOnAsOftenAsAnyone() {
		this.template.close();
		this.template = template(new HandOverLimits(true, 2, LONG));
		this.backend.handOverAnswers = CompletableFuture
			.failedFuture(new LockUnavailableException("No answer", null, true));
		LockLease held = this.template.acquire(FENCED);
		AtomicInteger served = new AtomicInteger();
		for (int i = 0; i < 3; i++) {
			Thread thread = start(() -> this.template.execute(FENCED, (lease) -> served.incrementAndGet()));
			await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		}
		this.backend.onRequest = () -> {
			if (this.backend.attempts.size() == 2 && served.get() == 0) {
				this.store.reset();
				this.backend.handOverAnswers = CompletableFuture.completedFuture(null);
			}
		};
		held.close();
		await().until(() -> served.get() == 3);
		assertThat(this.backend.attempts).hasSize(2);
	}

	@Test
	void entryOfOneModeIsNotHandedToTheOther() {
		LockLease held = this.template.acquire(LockRequest.of("k"));
		List<Long> tokens = new CopyOnWriteArrayList<>();
		Thread thread = start(() -> this.template.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS),
				(lease) -> tokens.add(lease.fencingToken().value())));
		await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		held.close();
		await().until(() -> tokens.size() == 1);
		assertThat(this.backend.attempts).hasSize(2);
	}

	@Test
	void shortEntryIsRenewedForANextHolderWhoAsksForMore() {
		LockLease held = this.template.acquire(LockRequest.of("k").withTtl(Duration.ofSeconds(3)));
		List<Duration> remaining = new CopyOnWriteArrayList<>();
		Thread thread = start(() -> this.template.execute("k", (lease) -> remaining.add(lease.remaining())));
		await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		held.close();
		await().until(() -> remaining.size() == 1);
		assertThat(remaining.get(0)).isGreaterThan(Duration.ofSeconds(20));
	}

	@Test
	void entryThatIsBeingRenewedIsNotHandedOver() {
		CountDownLatch renewing = new CountDownLatch(1);
		CountDownLatch answer = new CountDownLatch(1);
		this.backend.afterRenewal = () -> {
			this.backend.afterRenewal = () -> {
			};
			renewing.countDown();
			await().until(() -> answer.getCount() == 0);
		};
		LockLease held = this.template.acquire(LockRequest.of("k").withTtl(Duration.ofSeconds(6)));
		AtomicInteger ran = new AtomicInteger();
		Thread next = start(() -> this.template.execute("k", (lease) -> ran.incrementAndGet()));
		await().until(() -> next.getState() == Thread.State.TIMED_WAITING);
		await().until(() -> renewing.getCount() == 0);
		assertThat(held.isValid()).isTrue();
		held.close();
		await().until(() -> ran.get() == 1);
		answer.countDown();
		assertThat(this.backend.attempts).hasSize(2);
	}

	@Test
	void waiterThatGivesUpIsNotServed() {
		LockLease held = this.template.acquire("k");
		Thread waiting = start(() -> this.template.execute("k", (lease) -> null));
		await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
		AtomicInteger gaveUp = new AtomicInteger();
		start(() -> {
			try {
				this.template.acquire(LockRequest.of("k").withWaitTime(Duration.ofMillis(50)));
			}
			catch (LockNotAcquiredException ex) {
				gaveUp.incrementAndGet();
			}
		});
		await().until(() -> gaveUp.get() == 1);
		held.close();
		await().until(() -> this.backend.released.size() == 1);
	}

	@Test
	void interruptedWaiterLeavesTheLine() {
		LockLease held = this.template.acquire("k");
		List<Boolean> flags = new CopyOnWriteArrayList<>();
		Thread waiter = start(() -> {
			try {
				this.template.acquire("k");
			}
			catch (LockNotAcquiredException ex) {
				flags.add(Thread.currentThread().isInterrupted());
			}
		});
		await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
		waiter.interrupt();
		await().until(() -> !flags.isEmpty());
		assertThat(flags).containsExactly(true);
		held.close();
	}

	@Test
	void holderWhoseLeaseHasEndedDoesNotKeepItsOwnProcessOut() {
		LockLease lost = this.template
			.acquire(LockRequest.of("k").withTtl(Duration.ofMillis(200)).withAutoRenew(false));
		AtomicInteger ran = new AtomicInteger();
		start(() -> this.template.execute("k", (lease) -> ran.incrementAndGet()));
		await().until(() -> ran.get() == 1);
		assertThat(lost.isValid()).isFalse();
		lost.close();
	}

	@Test
	void tryOnceFindsTheLockBusyWithoutAskingTheStore() {
		LockLease held = this.template.acquire("k");
		AtomicInteger busy = new AtomicInteger();
		start(() -> {
			if (this.template.tryAcquire(LockRequest.of("k").withWaitTime(Duration.ZERO)).isEmpty()) {
				busy.incrementAndGet();
			}
		});
		await().until(() -> busy.get() == 1);
		assertThat(this.backend.attempts).hasSize(1);
		held.close();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void manyThreadsNeverOverlapAndLeaveNothing(LockMode mode) throws InterruptedException {
		int[] counter = new int[1];
		CountDownLatch done = new CountDownLatch(16);
		for (int i = 0; i < 16; i++) {
			start(() -> {
				for (int round = 0; round < 500; round++) {
					this.template.execute(LockRequest.of("k").withMode(mode), (lease) -> {
						int read = counter[0];
						Thread.yield();
						counter[0] = read + 1;
						return null;
					});
				}
				done.countDown();
			});
		}
		done.await();
		assertThat(counter[0]).isEqualTo(16 * 500);
	}

	private Thread start(Runnable task) {
		Thread thread = new Thread(task);
		this.threads.add(thread);
		thread.start();
		return thread;
	}

}
