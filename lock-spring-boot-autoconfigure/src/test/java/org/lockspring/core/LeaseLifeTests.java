package org.lockspring.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.LockAttempt;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.memory.MemoryLockBackend;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** A lease while it is held: renewed, lost, ended. */
@ExtendWith(OutputCaptureExtension.class)
class LeaseLifeTests {

	private static final Duration TTL = Duration.ofMillis(600);

	private final MemoryLockBackend store = new MemoryLockBackend();

	private final ControlledBackend backend = new ControlledBackend(this.store);

	private final List<LockLostEvent> losses = new CopyOnWriteArrayList<>();

	private LockTemplate template = template(OnLoss.FLAG, Duration.ofHours(1), OnUnavailable.FAIL);

	private LockTemplate template(OnLoss onLoss, Duration maxHold, OnUnavailable onUnavailable) {
		LockSettings settings = new LockSettings("app", TTL, Duration.ZERO, maxHold, onLoss, HandOverLimits.DEFAULT,
				onUnavailable);
		return new LockTemplate(new LockBackends(this.backend, this.backend), settings, List.of(),
				new SimpleAsyncTaskExecutor("lock-renewal-"), this.losses::add);
	}

	@AfterEach
	void close() {
		this.template.close();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void bodyLongerThanItsTtlKeepsTheLock(LockMode mode) {
		this.template.execute(LockRequest.of("k").withMode(mode), (lease) -> {
			long start = System.nanoTime();
			await().pollInterval(Duration.ofMillis(20)).until(() -> {
				assertThat(lease.isValid()).isTrue();
				assertThat(isFree("k")).isFalse();
				return System.nanoTime() - start > 3 * TTL.toNanos();
			});
			return null;
		});
		assertThat(this.losses).isEmpty();
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void leaseIsNotRenewedAfterItsRelease() {
		this.template.execute("k", (lease) -> {
			await().until(() -> this.backend.renewals.get() >= 2);
			return null;
		});
		int renewals = this.backend.renewals.get();
		LockLease next = this.template.acquire(LockRequest.of("next").withTtl(TTL));
		await().until(() -> this.backend.renewals.get() >= renewals + 3);
		next.close();
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void withoutRenewalTheLossIsNoticedByTheDeadlineAlone() {
		LockLease lease = this.template.acquire(LockRequest.of("k").withAutoRenew(false).withCaller("Job#run"));
		await().until(() -> !this.losses.isEmpty());
		assertThat(lease.isValid()).isFalse();
		assertThat(this.backend.renewals).hasValue(0);
		assertThat(this.losses).singleElement().satisfies((event) -> {
			assertThat(event.key()).isEqualTo("k");
			assertThat(event.caller()).isEqualTo("Job#run");
			assertThat(event.reason()).hasMessageContaining("time to live ran out");
		});
		lease.close();
		assertThat(this.losses).hasSize(1);
	}

	@Test
	void renewalIsTriedAgainAfterAFailure() {
		this.template.execute(LockRequest.of("k").withTtl(Duration.ofSeconds(3)), (lease) -> {
			await().until(() -> this.backend.renewals.get() == 1);
			this.backend.cutOff = true;
			await().until(() -> this.backend.renewals.get() >= 3);
			this.backend.cutOff = false;
			int before = this.backend.renewals.get();
			await().until(() -> this.backend.renewals.get() > before
					&& lease.remaining().compareTo(Duration.ofMillis(2500)) > 0);
			assertThat(lease.isValid()).isTrue();
			return null;
		});
		assertThat(this.losses).isEmpty();
	}

	@Test
	void holderThatIsCutOffKnowsThatItLostBeforeAnybodyElseHoldsTheLock() {
		LockLease lease = this.template.acquire(LockRequest.of("k"));
		this.backend.cutOff = true;
		await().pollInterval(Duration.ofMillis(1)).until(() -> {
			boolean held = lease.isValid();
			return isFree("k") && !held;
		});
		await().until(() -> this.losses.size() == 1);
		int renewals = this.backend.renewals.get();
		this.backend.cutOff = false;
		lease.close();
		assertThat(this.backend.renewals).hasValueLessThanOrEqualTo(renewals + 1);
	}

	@Test
	void lossByAnotherHolderIsToldApart() {
		LockLease lease = this.template.acquire("k");
		this.store.reset();
		this.store.tryAcquire(attempt("app:{k}"));
		await().until(() -> !this.losses.isEmpty());
		assertThat(this.losses.get(0).reason()).hasMessageContaining("another holder has it now");
		assertThat(lease.isValid()).isFalse();
		lease.close();
		assertThat(isFree("k")).isFalse();
	}

	@Test
	void renewalDoesNotBringBackAnEntryThatIsGone() {
		LockLease lease = this.template.acquire("k");
		this.store.reset();
		await().until(() -> !this.losses.isEmpty());
		assertThat(this.losses.get(0).reason()).hasMessageContaining("expired or was removed");
		assertThat(isFree("k")).isTrue();
		lease.close();
	}

	@Test
	void renewalEndsAtTheLongestHold(CapturedOutput output) {
		this.template.close();
		this.template = template(OnLoss.FLAG, Duration.ofSeconds(1), OnUnavailable.FAIL);
		LockLease lease = this.template.acquire(LockRequest.of("k").withCaller("Job#hang"));
		await().until(() -> isFree("k"));
		assertThat(lease.isValid()).isFalse();
		await().until(() -> this.losses.size() == 1);
		assertThat(output.getOut().lines().filter((line) -> line.contains("max-hold"))).singleElement()
			.asString()
			.contains("Job#hang", "thread '" + Thread.currentThread().getName() + "'");
		lease.close();
	}

	@Test
	void lossInterruptsTheBodyOnRequestButNotItsCaller() {
		this.template.close();
		this.template = template(OnLoss.INTERRUPT, Duration.ofHours(1), OnUnavailable.FAIL);
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS).withAutoRenew(false);
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.template.execute(request, (lease) -> {
				new CountDownLatch(1).await();
				return null;
			}))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(request, (lease) -> {
			await().until(() -> !this.losses.isEmpty() && !lease.isValid());
			return null;
		}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void listenerThatFailsDoesNotHarmOthers() {
		this.template.close();
		LockSettings settings = new LockSettings("app", TTL, Duration.ZERO);
		this.template = new LockTemplate(new LockBackends(this.backend, this.backend), settings, List.of(),
				new SimpleAsyncTaskExecutor("lock-renewal-"), (event) -> {
					this.losses.add(event);
					throw new IllegalStateException("listener");
				});
		LockLease one = this.template.acquire(LockRequest.of("one").withAutoRenew(false));
		LockLease two = this.template.acquire(LockRequest.of("two").withAutoRenew(false));
		await().until(() -> this.losses.size() == 2);
		one.close();
		two.close();
	}

	@Test
	void efficiencyRunsWithoutALockIfTheUserSaysSo(CapturedOutput output) {
		this.template.close();
		this.template = template(OnLoss.FLAG, Duration.ofHours(1), OnUnavailable.RUN);
		this.backend.cutOff = true;
		String result = this.template.execute("k", (lease) -> lease.isValid() ? "locked" : "unlocked");
		assertThat(result).isEqualTo("unlocked");
		assertThat(output.getOut().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.contains("'k'", "lock.efficiency.on-unavailable", "The store is cut off");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.template.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS), (lease) -> {
				throw new AssertionError("The body ran");
			}));
	}

	@Test
	void storeThatIsDownIsUnavailableAndNotBusy() {
		this.backend.cutOff = true;
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.template.execute("k", (lease) -> {
				throw new AssertionError("The body ran");
			}));
	}

	@Test
	void shutdownGrantsNothingNewAndWaitsForBodies() throws InterruptedException {
		LockShutdown shutdown = new LockShutdown(this.template);
		shutdown.start();
		CountDownLatch inBody = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		CountDownLatch down = new CountDownLatch(1);
		List<Throwable> failures = new CopyOnWriteArrayList<>();
		Thread holder = new Thread(() -> {
			try {
				this.template.execute("k", (lease) -> {
					inBody.countDown();
					mayEnd.await();
					// What is needed to end well
					return this.template.execute("inner", (inner) -> null);
				});
			}
			catch (Throwable ex) {
				failures.add(ex);
			}
		});
		holder.start();
		inBody.await();
		shutdown.stop(down::countDown);
		assertThatThrownBy(() -> this.template.acquire("other")).isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("shutting down");
		assertThat(down.getCount()).isEqualTo(1);
		assertThat(isFree("k")).isFalse();
		mayEnd.countDown();
		down.await();
		holder.join();
		assertThat(failures).isEmpty();
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void lossWakesTheNextInLineAtOnce() throws InterruptedException {
		LockLease held = this.template.acquire(LockRequest.of("k").withTtl(Duration.ofSeconds(60)));
		CountDownLatch served = new CountDownLatch(1);
		Thread next = new Thread(() -> this.template.execute(
				LockRequest.of("k").withTtl(Duration.ofSeconds(60)).withWaitTime(Duration.ofSeconds(50)), (lease) -> {
					served.countDown();
					return null;
				}));
		next.start();
		await().until(() -> next.getState() == Thread.State.TIMED_WAITING);
		this.store.reset();
		((ManagedLease) held).lose(new IllegalStateException("a guard said so"));
		assertThat(served.await(20, TimeUnit.SECONDS)).isTrue();
		next.join();
		held.close();
	}

	@Test
	void leaseThatWasExtendedForAShortTimeIsRenewedInTime() {
		LockLease lease = this.template.acquire(LockRequest.of("k").withTtl(Duration.ofSeconds(60)));
		await().pollDelay(Duration.ofMillis(100)).until(lease::isValid);
		lease.extend(Duration.ofMillis(600));
		await().until(() -> this.backend.renewals.get() >= 8);
		assertThat(lease.isValid()).isTrue();
		assertThat(this.losses).isEmpty();
		lease.close();
	}

	@Test
	void answerThatComesAfterTheDeadlineDoesNotMakeTheLeaseValidAgain() {
		LockLease lease = this.template.acquire(LockRequest.of("k").withTtl(Duration.ofMillis(600)));
		List<Boolean> valid = new CopyOnWriteArrayList<>();
		this.backend.afterRenewal = () -> {
			// The store has renewed, but the answer does not come
			await().pollInterval(Duration.ofMillis(1)).until(() -> !lease.isValid());
			valid.add(lease.isValid());
		};
		await().until(() -> !valid.isEmpty());
		await().during(Duration.ofMillis(200)).until(() -> !lease.isValid());
		await().until(() -> this.losses.size() == 1);
		lease.close();
		assertThat(this.losses).hasSize(1);
	}

	@Test
	void lossThatOnlyTheReleaseNoticesIsToldOnce() {
		this.template.execute(LockRequest.of("k").withTtl(Duration.ofSeconds(60)), (lease) -> {
			this.store.reset();
			return null;
		});
		assertThat(this.losses).singleElement()
			.satisfies((event) -> assertThat(event.reason()).hasMessageContaining("expired or was removed"));
	}

	@Test
	void lossInterruptsTheOuterBodyAlsoAfterAReentry() {
		this.template.close();
		this.template = template(OnLoss.INTERRUPT, Duration.ofHours(1), OnUnavailable.FAIL);
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS).withAutoRenew(false);
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.template.execute(request, (lease) -> {
				this.template.execute(request, (inner) -> null);
				assertThat(new CountDownLatch(1).await(20, TimeUnit.SECONDS)).isFalse();
				return null;
			}));
	}

	@Test
	void innerBodyThatClosesItsLeaseDoesNotEndTheLockAroundIt() {
		this.template.execute("k", (outer) -> {
			this.template.execute("k", (inner) -> {
				inner.close();
				return null;
			});
			assertThat(outer.isValid()).isTrue();
			assertThat(isFree("k")).isFalse();
			outer.close();
			assertThat(outer.isValid()).isFalse();
			assertThat(isFree("k")).isTrue();
			return null;
		});
		assertThat(this.backend.released).hasSize(1);
	}

	@Test
	void renewalThatWaitsForAThreadIsNotSentAfterTheRelease() {
		this.template.close();
		List<Runnable> waiting = new CopyOnWriteArrayList<>();
		this.template = template(waiting::add);
		LockLease lease = this.template.acquire("k");
		await().until(() -> !waiting.isEmpty());
		lease.close();
		waiting.forEach(Runnable::run);
		assertThat(this.backend.renewals).hasValue(0);
		assertThat(this.backend.released).hasSize(1);
	}

	@Test
	void extensionIsSentAfterTheRenewalThatRuns() throws InterruptedException {
		CountDownLatch answer = holdUpTheFirstRenewal();
		LockLease lease = this.template.acquire(LockRequest.of("k").withTtl(Duration.ofSeconds(6)));
		await().until(() -> this.backend.renewals.get() == 1);
		Thread extending = new Thread(() -> lease.extend(Duration.ofSeconds(60)));
		extending.start();
		await().until(() -> waitsOrHasEnded(extending));
		assertThat(this.backend.renewals).hasValue(1);
		answer.countDown();
		extending.join();
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(30));
		lease.close();
	}

	@Test
	void extensionThatWaitsIsNotSentAfterTheRelease() throws InterruptedException {
		CountDownLatch answer = holdUpTheFirstRenewal();
		LockLease lease = this.template.acquire(LockRequest.of("k").withTtl(Duration.ofSeconds(6)));
		await().until(() -> this.backend.renewals.get() == 1);
		List<RuntimeException> failures = new CopyOnWriteArrayList<>();
		Thread extending = new Thread(() -> {
			try {
				lease.extend(Duration.ofSeconds(60));
			}
			catch (RuntimeException ex) {
				failures.add(ex);
			}
		});
		extending.start();
		await().until(() -> waitsOrHasEnded(extending));
		lease.close();
		answer.countDown();
		extending.join();
		assertThat(failures).singleElement().isInstanceOf(IllegalStateException.class);
		assertThat(this.backend.renewals).hasValue(1);
	}

	@Test
	void shortestHoldIsSetAfterTheRenewalThatRuns() throws InterruptedException {
		CountDownLatch answer = holdUpTheFirstRenewal();
		LockLease lease = this.template
			.acquire(LockRequest.of("k").withTtl(Duration.ofSeconds(6)).withMinHold(Duration.ofSeconds(5)));
		await().until(() -> this.backend.renewals.get() == 1);
		Thread closing = new Thread(lease::close);
		closing.start();
		await().until(() -> waitsOrHasEnded(closing));
		assertThat(this.backend.renewals).hasValue(1);
		answer.countDown();
		closing.join();
		assertThat(this.backend.renewals).hasValue(2);
	}

	@Test
	void renewalThatTheExecutorForgetsHoldsUpNeitherExtensionNorRelease() {
		this.template.close();
		List<Runnable> forgotten = new CopyOnWriteArrayList<>();
		this.template = template(forgotten::add);
		LockLease lease = this.template
			.acquire(LockRequest.of("k").withTtl(Duration.ofSeconds(1)).withMinHold(Duration.ofMillis(900)));
		await().until(() -> !forgotten.isEmpty());
		lease.extend(Duration.ofSeconds(60));
		lease.close();
		assertThat(this.backend.renewals).hasValue(2);
	}

	@Test
	void deadlineIsNoticedThoughNoRenewalGetsAThreadAndAllProcessorsBurn() throws InterruptedException {
		this.template.close();
		ExecutorService blocked = Executors.newSingleThreadExecutor();
		CountDownLatch end = new CountDownLatch(1);
		blocked.execute(() -> awaitUninterruptibly(end));
		List<Thread> burning = new ArrayList<>();
		for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
			Thread thread = new Thread(() -> {
				while (end.getCount() > 0) {
					Thread.onSpinWait();
				}
			});
			burning.add(thread);
			thread.start();
		}
		this.template = template(blocked);
		LockLease lease = this.template.acquire("k");
		await().until(() -> this.losses.size() == 1);
		assertThat(lease.isValid()).isFalse();
		assertThat(this.backend.renewals).hasValue(0);
		end.countDown();
		for (Thread thread : burning) {
			thread.join();
		}
		blocked.shutdown();
		lease.close();
		assertThat(this.losses).hasSize(1);
	}

	@Test
	void renewalsThatFailForHalfTheTtlDoNotEndTheLease() {
		Duration ttl = Duration.ofSeconds(6);
		LockLease lease = this.template.acquire(LockRequest.of("k").withTtl(ttl));
		await().until(() -> this.backend.renewals.get() == 1);
		this.backend.cutOff = true;
		// From a third of the ttl on, renewals are tried, the last answer is 2 s old then
		await().atMost(ttl).until(() -> lease.remaining().compareTo(ttl.dividedBy(3)) < 0);
		this.backend.cutOff = false;
		await().atMost(ttl).until(() -> lease.remaining().compareTo(ttl.dividedBy(2)) > 0);
		assertThat(lease.isValid()).isTrue();
		assertThat(this.losses).isEmpty();
		lease.close();
	}

	@Test
	void errorOfARenewalIsAFailureLikeAnother() {
		LockLease lease = this.template.acquire("k");
		this.backend.onRequest = () -> {
			this.backend.onRequest = () -> {
			};
			throw new NoClassDefFoundError("a driver");
		};
		await().until(() -> this.backend.renewals.get() >= 3);
		assertThat(lease.isValid()).isTrue();
		lease.close();
	}

	@Test
	void listenerThatThrowsAnErrorDoesNotEndTheWatch() {
		this.template.close();
		this.template = new LockTemplate(new LockBackends(this.backend, this.backend),
				new LockSettings("app", TTL, Duration.ZERO), List.of(), new SimpleAsyncTaskExecutor("lock-renewal-"),
				(event) -> {
					this.losses.add(event);
					throw new AssertionError("listener");
				});
		LockLease one = this.template.acquire(LockRequest.of("one").withAutoRenew(false));
		await().until(() -> this.losses.size() == 1);
		LockLease two = this.template.acquire(LockRequest.of("two").withAutoRenew(false));
		await().until(() -> this.losses.size() == 2);
		one.close();
		two.close();
	}

	@Test
	void watchEndsWhenNobodyHoldsALockAndStartsAgain() {
		Set<Thread> before = watches();
		LockLease first = this.template.acquire("k");
		await().until(() -> watches().stream().filter((thread) -> !before.contains(thread)).count() == 1);
		first.close();
		await().atMost(Duration.ofSeconds(20)).until(() -> before.containsAll(watches()));
		LockLease second = this.template.acquire("k");
		await().until(() -> this.backend.renewals.get() >= 3);
		assertThat(second.isValid()).isTrue();
		this.template.close();
		await().atMost(Duration.ofSeconds(2)).until(() -> before.containsAll(watches()));
		second.close();
	}

	@Test
	void templateThatWasClosedGrantsNothingAndLeavesNothing() {
		this.template.acquire("k").close();
		this.template.close();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire("k"));
		assertThat(isFree("k")).isTrue();
		assertThat(this.template.isIdle()).isTrue();
	}

	@Test
	void releaseOfAnInterruptedThreadIsNotDisturbedAndKeepsTheFlag() {
		List<Boolean> flags = new CopyOnWriteArrayList<>();
		this.template.execute("k", (lease) -> {
			Thread.currentThread().interrupt();
			this.backend.onRequest = () -> flags.add(Thread.currentThread().isInterrupted());
			return null;
		});
		assertThat(flags).containsExactly(false);
		assertThat(Thread.interrupted()).isTrue();
	}

	private LockTemplate template(Executor renewals) {
		return new LockTemplate(new LockBackends(this.backend, this.backend),
				new LockSettings("app", TTL, Duration.ZERO), List.of(), renewals, this.losses::add);
	}

	/** The store has renewed, but its answer comes only when this is counted down. */
	private CountDownLatch holdUpTheFirstRenewal() {
		CountDownLatch answer = new CountDownLatch(1);
		this.backend.afterRenewal = () -> {
			this.backend.afterRenewal = () -> {
			};
			awaitUninterruptibly(answer);
		};
		return answer;
	}

	private static boolean waitsOrHasEnded(Thread thread) {
		return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TERMINATED;
	}

	private static Set<Thread> watches() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("lock-watch"))
			.collect(Collectors.toSet());
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private boolean isFree(String key) {
		LockAttempt attempt = attempt("app:{" + key + "}");
		if (this.store.tryAcquire(attempt) instanceof Acquisition.Granted granted) {
			granted.lease().release();
			return true;
		}
		return false;
	}

	private static LockAttempt attempt(String name) {
		return new LockAttempt(name, UUID.randomUUID().toString(), LockMode.EFFICIENCY, Duration.ofSeconds(30), name);
	}

}
