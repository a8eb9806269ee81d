package org.lockspring.core;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.Acquisition;
import org.lockspring.CurrentLock;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockAttempt;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.memory.MemoryLockBackend;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** What happens around a body, on a store that does exactly what it is told. */
@ExtendWith(OutputCaptureExtension.class)
class LockTemplateTests {

	private final MemoryLockBackend store = new MemoryLockBackend();

	private final ControlledBackend backend = new ControlledBackend(this.store);

	private final LockTemplate template = new LockTemplate(this.backend, new LockSettings("app"));

	/** Another process. */
	private final LockTemplate other = new LockTemplate(this.store, new LockSettings("app"));

	private final List<LockLease> leftOpen = new ArrayList<>();

	@AfterEach
	void leaveNothing() {
		this.leftOpen.forEach(LockLease::close);
		assertThat(CurrentLock.leases()).isEmpty();
	}

	/** A ttl of zero that got through would delete the entry. */
	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-1S", "PT0.009S", "PT24H0.001S", "PT2562047788015215H" })
	void ttlOutOfItsRangeIsRefusedAndChangesNothing(Duration ttl) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of("k").withTtl(ttl));
		this.template.execute("k", (lease) -> {
			assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(ttl));
			assertThat(lease.isValid()).isTrue();
			return null;
		});
	}

	@Test
	void bodyThatClosesItsLostLeaseIsToldOfTheLoss() {
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(request, (lease) -> {
			this.store.reset();
			lease.close();
			return "done";
		}));
		assertThat(this.template.<String, RuntimeException>execute(request, (lease) -> {
			lease.close();
			return "done";
		})).isEqualTo("done");
	}

	@Test
	void minHoldDoesNotKeepALockWhoseBodyWasNotLetIn() {
		LeaseParticipant refusing = new LeaseParticipant() {
			@Override
			public void acquired(ManagedLease lease) {
				throw new IllegalStateException("refused");
			}
		};
		LockTemplate refused = new LockTemplate(new LockBackends(this.store, this.store), new LockSettings("app"),
				List.of(refusing));
		assertThatIllegalStateException().isThrownBy(
				() -> refused.execute(LockRequest.of("k").withMinHold(Duration.ofSeconds(20)), (lease) -> null));
		assertThat(isFree("k")).isTrue();
	}

	private LockLease elsewhere(LockRequest request) {
		LockLease lease = this.other.acquire(request);
		this.leftOpen.add(lease);
		return lease;
	}

	private boolean isFree(String key) {
		Optional<LockLease> lease = new LockTemplate(this.store, new LockSettings("app")).tryAcquire(key);
		lease.ifPresent(LockLease::close);
		return lease.isPresent();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void bodyRunsUnderTheLockAndTheLockIsFreeAfterwards(LockMode mode) {
		LockRequest request = LockRequest.of("k").withMode(mode);
		String result = this.template.execute(request, (lease) -> {
			assertThat(lease.isValid()).isTrue();
			assertThat(lease.remaining()).isBetween(Duration.ofSeconds(29), Duration.ofSeconds(30));
			assertThat(isFree("k")).isFalse();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void busyWithoutWaitTimeIsOneTryAndNoBody() {
		LockLease held = elsewhere(LockRequest.of("k"));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.execute(LockRequest.of("k").withCaller("OrderService#ship"), (lease) -> {
				throw new AssertionError("The body ran");
			}))
			.withMessageContainingAll("'k'", "OrderService#ship");
		assertThat(this.backend.attempts).hasSize(1);
		held.close();
	}

	@Test
	void busyIsWaitedForWithinTheWaitTime() {
		LockLease held = elsewhere(LockRequest.of("k").withTtl(Duration.ofMillis(300)).withAutoRenew(false));
		assertThat(held.isValid()).isTrue();
		this.template.execute(LockRequest.of("k").withWaitTime(Duration.ofSeconds(20)), (lease) -> null);
		assertThat(held.isValid()).isFalse();
	}

	@Test
	void waitEndsWithTheWaitTime() {
		elsewhere(LockRequest.of("k"));
		long start = System.nanoTime();
		assertThat(this.template.tryAcquire(LockRequest.of("k").withWaitTime(Duration.ofMillis(500)))).isEmpty();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(500));
	}

	@Test
	void interruptEndsTheWaitAndKeepsTheFlag() throws InterruptedException {
		LockLease held = elsewhere(LockRequest.of("k"));
		AtomicReference<Throwable> failure = new AtomicReference<>();
		AtomicReference<Boolean> flag = new AtomicReference<>();
		Thread waiter = new Thread(() -> {
			try {
				this.template.tryExecute(LockRequest.of("k").withWaitTime(Duration.ofHours(1)), (lease) -> "ran");
			}
			catch (LockNotAcquiredException ex) {
				failure.set(ex);
				flag.set(Thread.currentThread().isInterrupted());
			}
		});
		waiter.start();
		await().until(() -> !this.backend.attempts.isEmpty());
		waiter.interrupt();
		waiter.join();
		assertThat(failure.get()).hasMessageContaining("Interrupted").hasCauseInstanceOf(InterruptedException.class);
		assertThat(flag.get()).isTrue();
		held.close();
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void bodysExceptionIsTheSameInstanceAndTheLockIsFree() {
		IOException failure = new IOException("disk");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.template.execute("k", (lease) -> {
			throw failure;
		})).isSameAs(failure);
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void tryExecuteIsEmptyWhenBusyAndDoesNotSwallowTheBodysOwnBusyCall() {
		LockLease held = elsewhere(LockRequest.of("k"));
		assertThat(this.template.tryExecute("k", (lease) -> "ran")).isEmpty();
		assertThat(this.template.tryExecute("free", (lease) -> "ran")).contains("ran");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(
				() -> this.template.tryExecute("free", (lease) -> this.template.execute("k", (inner) -> "ran")));
		held.close();
	}

	@Test
	void reentryKeepsTheTokenAndAsksTheStoreOnce() {
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS);
		this.template.execute(request, (outer) -> {
			this.template.execute(request, (inner) -> assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken()));
			LockLease manual = this.template.acquire("k");
			manual.close();
			manual.close();
			assertThat(outer.isValid()).isTrue();
			assertThat(isFree("k")).isFalse();
			return null;
		});
		assertThat(this.backend.attempts).hasSize(1);
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void reentryDoesNotTurnEfficiencyIntoCorrectness() {
		this.template.execute("k", (outer) -> assertThatExceptionOfType(InvalidLockDefinitionException.class)
			.isThrownBy(
					() -> this.template.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS), (inner) -> null))
			.withMessageContainingAll("'k'", "CORRECTNESS"));
	}

	@Test
	void lostLeaseOfCorrectnessIsNotReentered() {
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(request, (outer) -> {
			((ManagedLease) outer).lose(new IllegalStateException("a guard said so"));
			return this.template.execute(request, (inner) -> "ran");
		})).withMessageContaining("re-entered");
	}

	@Test
	void otherThreadDoesNotReenter() {
		this.template.execute("k",
				(outer) -> CompletableFuture.runAsync(() -> assertThat(this.template.tryAcquire("k")).isEmpty())
					.join());
	}

	@Test
	void differentKeysNestAndAreReleasedInReverse() {
		RuntimeException failure = new RuntimeException("inner body");
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> this.template.execute("a", (a) -> this.template.execute("b", (b) -> {
				assertThat(CurrentLock.lease()).isSameAs(b);
				assertThat(CurrentLock.lease("a")).isSameAs(a);
				assertThat(CurrentLock.isHeld("a") && CurrentLock.isHeld("b")).isTrue();
				assertThat(isFree("a") || isFree("b")).isFalse();
				throw failure;
			})))
			.isSameAs(failure);
		assertThat(this.backend.released).containsExactly("app:{b}", "app:{a}");
		assertThat(CurrentLock.leases()).isEmpty();
	}

	@Test
	void currentLockTellsThatThereIsNone() {
		assertThatIllegalStateException().isThrownBy(CurrentLock::lease).withMessageContaining("'this'");
		assertThatIllegalStateException().isThrownBy(() -> CurrentLock.lease("k")).withMessageContaining("'k'");
		this.template.execute("k", (lease) -> assertThatIllegalStateException().isThrownBy(CurrentLock::fencingToken)
			.withMessageContaining("CORRECTNESS"));
	}

	@Test
	void leaseIsHandedToAnotherThread() {
		this.template.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS),
				(lease) -> CompletableFuture
					.runAsync(() -> CurrentLock.with(lease,
							() -> assertThat(CurrentLock.fencingToken()).isEqualTo(lease.fencingToken())))
					.join());
	}

	@Test
	void efficiencyReturnsItsResultWithOneWarningWhenTheLockWasTaken(CapturedOutput output) {
		String result = this.template.execute(LockRequest.of("k").withCaller("Job#run"), (lease) -> {
			this.store.reset();
			elsewhere(LockRequest.of("k"));
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(output.getOut().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.contains("'k' of Job#run", "another holder has it now", "ttl 30000 ms");
		assertThat(isFree("k")).isFalse();
	}

	@Test
	void correctnessThrowsWhenTheLockWasLost() {
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(request, (lease) -> {
			this.store.reset();
			return "done";
		})).withMessageContainingAll("'k'", "expired or was removed");
	}

	@Test
	void correctnessThrowsWhenTheTtlRanOutThoughNobodyTookTheLock() {
		LockRequest request = LockRequest.of("k")
			.withMode(LockMode.CORRECTNESS)
			.withTtl(Duration.ofMillis(50))
			.withAutoRenew(false);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(request, (lease) -> {
			await().until(() -> !lease.isValid());
			return "done";
		}));
	}

	@Test
	void correctnessKeepsTheResultThatAGuardVouchedFor(CapturedOutput output) {
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS);
		String result = this.template.execute(request, (lease) -> {
			((ManagedLease) lease).vouch();
			this.store.reset();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(output).contains("expired or was removed");
	}

	@Test
	void bodysExceptionWinsOverTheLoss() {
		RuntimeException failure = new RuntimeException("body");
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> this.template.execute(request, (lease) -> {
			this.store.reset();
			throw failure;
		})).isSameAs(failure);
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void bodysExceptionWinsOverAReleaseThatFails(LockMode mode) {
		RuntimeException failure = new RuntimeException("body");
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> this.template.execute(LockRequest.of("k").withMode(mode), (lease) -> {
				this.backend.cutOff = true;
				throw failure;
			}))
			.isSameAs(failure);
		assertThat(this.template.isIdle()).isTrue();
	}

	@Test
	void participantThatRefusesGivesTheLockBack() {
		RuntimeException refusal = new RuntimeException("stale");
		LockTemplate refused = new LockTemplate(new LockBackends(this.store, this.store), new LockSettings("app"),
				List.of(new LeaseParticipant() {

					@Override
					public void acquired(ManagedLease lease) {
						throw refusal;
					}

				}));
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> refused.acquire("k")).isSameAs(refusal);
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void participantMayKeepTheLock() {
		List<Runnable> releases = new ArrayList<>();
		LockTemplate keeping = new LockTemplate(new LockBackends(this.store, this.store), new LockSettings("app"),
				List.of(new LeaseParticipant() {

					@Override
					public boolean keep(ManagedLease lease, Runnable release) {
						return releases.add(release);
					}

				}));
		keeping.execute("k", (lease) -> null);
		assertThat(isFree("k")).isFalse();
		releases.forEach(Runnable::run);
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void minHoldKeepsTheLockAfterTheBody() {
		LockRequest request = LockRequest.of("k").withTtl(Duration.ofSeconds(30)).withMinHold(Duration.ofMillis(400));
		this.template.execute(request, (lease) -> null);
		assertThat(isFree("k")).isFalse();
		elsewhere(LockRequest.of("k").withWaitTime(Duration.ofSeconds(10)));
	}

	@Test
	void manualLeaseIsExtendedReleasedOnceAndByAnyThread() {
		LockLease lease = this.template.acquire(LockRequest.of("k").withTtl(Duration.ofSeconds(1)));
		for (int i = 0; i < 3; i++) {
			lease.extend(Duration.ofSeconds(20));
			assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(18));
		}
		assertThat(CurrentLock.isHeld("k")).isTrue();
		CompletableFuture.runAsync(lease::close).join();
		lease.close();
		assertThat(this.backend.released).hasSize(1);
		assertThat(CurrentLock.leases()).isEmpty();
		assertThatIllegalStateException().isThrownBy(() -> lease.extend(Duration.ofSeconds(1)));
	}

	@Test
	void extendOfALostLeaseTellsAndDoesNotTakeItBack() {
		LockLease lease = this.template.acquire("k");
		this.leftOpen.add(lease);
		this.store.reset();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lease.extend(Duration.ofSeconds(1)));
		assertThat(lease.isValid()).isFalse();
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void grantThatComesAfterItsTtlIsGivenBackAndReported() {
		LockTemplate late = new LockTemplate(new ControlledBackend(this.store) {

			@Override
			public Acquisition tryAcquire(LockAttempt attempt) {
				Acquisition acquisition = super.tryAcquire(attempt);
				long granted = System.nanoTime();
				await().until(() -> System.nanoTime() - granted > attempt.ttl().toNanos());
				return acquisition;
			}

		}, new LockSettings("app"));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> late.acquire(LockRequest.of("k").withTtl(Duration.ofMillis(50))))
			.withMessageContaining("came after its ttl");
	}

	@Test
	void everyTryHasAnOwnerOfItsOwn() {
		LockLease held = elsewhere(LockRequest.of("k"));
		this.template.tryAcquire(LockRequest.of("k").withWaitTime(Duration.ofMillis(200)));
		assertThat(this.backend.attempts).hasSizeGreaterThan(1).extracting(LockAttempt::owner).doesNotHaveDuplicates();
		held.close();
	}

	@Test
	void namespacesDoNotMeet() {
		LockTemplate shop = new LockTemplate(this.store, new LockSettings("shop"));
		this.template.execute("daily", (lease) -> shop.execute("daily", (other) -> {
			assertThat(other.name()).isEqualTo("shop:{daily}");
			assertThat(lease.name()).isEqualTo("app:{daily}");
			return null;
		}));
	}

	@Test
	void tryAcquireGivesTheLease() {
		Optional<LockLease> lease = this.template.tryAcquire("k");
		assertThat(lease).isPresent();
		assertThat(isFree("k")).isFalse();
		lease.get().close();
		assertThat(isFree("k")).isTrue();
	}

}
