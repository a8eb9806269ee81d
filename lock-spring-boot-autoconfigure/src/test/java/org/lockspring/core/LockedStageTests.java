package org.lockspring.core;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.CurrentLock;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.memory.MemoryLockBackend;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** A lock that is held until a stage is complete. */
@ExtendWith(OutputCaptureExtension.class)
class LockedStageTests {

	private static final LockRequest CORRECT = LockRequest.of("k").withMode(LockMode.CORRECTNESS);

	private final MemoryLockBackend store = new MemoryLockBackend();

	private final ControlledBackend backend = new ControlledBackend(this.store);

	private final LockTemplate template = new LockTemplate(this.backend, new LockSettings("app"));

	private final CompletableFuture<String> body = new CompletableFuture<>();

	@AfterEach
	void nothingIsLeftBehind() {
		await().until(this.template::isIdle);
		assertThat(CurrentLock.leases()).isEmpty();
		this.template.close();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void lockIsHeldUntilTheStageIsComplete(LockMode mode) {
		CompletableFuture<String> result = this.template.executeAsync(CORRECT.withMode(mode), (lease) -> {
			assertThat(CurrentLock.lease()).isSameAs(lease);
			return this.body;
		});
		assertThat(CurrentLock.leases()).isEmpty();
		assertThat(result).isNotDone();
		assertThat(this.backend.released).isEmpty();
		this.body.complete("value");
		assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("value");
		assertThat(this.backend.released).hasSize(1);
	}

	@Test
	void resultEndsAlsoIfTheLeaseCannotBeLeft() {
		LeaseParticipant failing = new LeaseParticipant() {
			@Override
			public boolean keep(ManagedLease lease, Runnable release) {
				throw new AssertionError("participant");
			}
		};
		LockTemplate template = new LockTemplate(new LockBackends(this.store, this.store), new LockSettings("app"),
				List.of(failing));
		CompletableFuture<String> result = template.executeAsync(CORRECT, (lease) -> this.body);
		this.body.complete("value");
		assertThat(result).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.havingRootCause()
			.withMessage("participant");
		template.close();
	}

	@Test
	void failureOfTheStageIsThatOfTheResult() {
		CompletableFuture<String> result = this.template.executeAsync(CORRECT, (lease) -> this.body);
		this.body.completeExceptionally(new IOException("body"));
		assertThatThrownBy(result::get).isInstanceOf(ExecutionException.class)
			.hasCauseInstanceOf(IOException.class)
			.hasRootCauseMessage("body");
		assertThat(this.backend.released).hasSize(1);
	}

	@Test
	void cancellationOfTheResultCancelsTheStageAndReleases() {
		CompletableFuture<String> result = this.template.executeAsync(CORRECT, (lease) -> this.body);
		result.cancel(true);
		assertThat(this.body).isCancelled();
		await().until(() -> this.backend.released.size() == 1);
	}

	@Test
	void cancellationOfTheStageReleases() {
		CompletableFuture<String> result = this.template.executeAsync(CORRECT, (lease) -> this.body);
		this.body.cancel(true);
		assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
		assertThat(this.backend.released).hasSize(1);
	}

	@Test
	void timeoutOfTheResultDoesNotFreeTheLockWhileTheStageRuns() {
		CompletableFuture<String> result = this.template.executeAsync(CORRECT, (lease) -> this.body);
		result.completeExceptionally(new IllegalStateException("the caller has had enough"));
		assertThat(this.template.isIdle()).isFalse();
		assertThat(this.backend.released).isEmpty();
		this.body.complete("value");
		await().until(() -> this.backend.released.size() == 1);
	}

	@Test
	void stageThatCannotBeCancelledKeepsTheLock() {
		CompletableFuture<String> result = this.template.executeAsync(CORRECT,
				(lease) -> this.body.minimalCompletionStage());
		result.cancel(true);
		assertThat(this.body).isNotDone();
		assertThat(this.backend.released).isEmpty();
		this.body.complete("value");
		await().until(() -> this.backend.released.size() == 1);
	}

	@Test
	void bodyThatThrowsOrReturnsNothingReleasesAtOnce() {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.template.executeAsync(CORRECT, (lease) -> {
			throw new IOException("body");
		}));
		assertThat(this.backend.released).hasSize(1);
		assertThatNullPointerException()
			.isThrownBy(() -> this.template.executeAsync(CORRECT, (lease) -> (CompletionStage<String>) null));
		assertThat(this.backend.released).hasSize(2);
	}

	@Test
	void completeStageIsReleasedByTheCaller() {
		CompletableFuture<String> result = this.template.executeAsync(CORRECT,
				(lease) -> CompletableFuture.completedFuture("value"));
		assertThat(result).isCompletedWithValue("value");
		assertThat(this.backend.released).hasSize(1);
	}

	@Test
	void busyThrowsOrIsEmpty() {
		CompletableFuture<String> first = this.template.executeAsync(CORRECT, (lease) -> this.body);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.executeAsync(CORRECT, (lease) -> this.body));
		assertThat(this.template.<String, RuntimeException>tryExecuteAsync(CORRECT, (lease) -> this.body)).isEmpty();
		this.body.complete("value");
		assertThat(first).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.template.<String, RuntimeException>tryExecuteAsync(CORRECT, (lease) -> this.body).orElseThrow())
			.isCompletedWithValue("value");
	}

	@Test
	void whoCompletesTheStageDoesNotWaitForTheStore() {
		List<Thread> threads = new CopyOnWriteArrayList<>();
		CompletableFuture<String> result = this.template.executeAsync(CORRECT, (lease) -> this.body);
		this.backend.onRequest = () -> threads.add(Thread.currentThread());
		this.body.complete("value");
		assertThat(result).succeedsWithin(Duration.ofSeconds(10));
		assertThat(threads).isNotEmpty().doesNotContain(Thread.currentThread());
	}

	@Test
	void lossReplacesTheResultInCorrectness() {
		CompletableFuture<String> result = this.template.executeAsync(CORRECT, (lease) -> this.body);
		this.store.reset();
		this.body.complete("value");
		assertThatThrownBy(result::get).hasCauseInstanceOf(LockLostException.class);
	}

	@Test
	void lossIsWarnedOfInEfficiency(CapturedOutput output) {
		CompletableFuture<String> result = this.template.executeAsync("k", (lease) -> this.body);
		this.store.reset();
		this.body.complete("value");
		assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("value");
		assertThat(output.getOut().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.contains("'k'", "lost");
	}

	@Test
	void failureOfTheStageWinsOverTheLoss() {
		CompletableFuture<String> result = this.template.executeAsync(CORRECT,
				(lease) -> this.body.thenApply((value) -> {
					throw new IllegalStateException("body");
				}));
		this.store.reset();
		this.body.complete("value");
		assertThatThrownBy(result::join).isInstanceOf(CompletionException.class)
			.cause()
			.hasMessage("body")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(LockLostException.class));
	}

	@Test
	void stageInsideABlockKeepsTheLockBeyondTheBlock() {
		CompletableFuture<String> result = this.template.execute(CORRECT,
				(outer) -> this.template.executeAsync(CORRECT, (inner) -> {
					assertThat(inner).isSameAs(outer);
					return this.body;
				}));
		assertThat(this.backend.attempts).hasSize(1);
		assertThat(this.backend.released).isEmpty();
		this.body.complete("value");
		assertThat(result).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.backend.released).hasSize(1);
	}

	@Test
	void leaseIsTakenToAnotherThreadByHand() {
		CompletableFuture<Boolean> result = this.template.executeAsync(CORRECT, (lease) -> CompletableFuture
			.supplyAsync(() -> CurrentLock.with(lease, () -> CurrentLock.fencingToken().equals(lease.fencingToken()))));
		assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
	}

	@Test
	void manualLeaseIsClosedByAnotherThread() {
		LockLease lease = this.template.acquire(CORRECT);
		CompletableFuture<Void> closing = CompletableFuture.runAsync(lease::close);
		assertThat(closing).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.backend.released).hasSize(1);
		assertThat(CurrentLock.leases()).isEmpty();
	}

}
