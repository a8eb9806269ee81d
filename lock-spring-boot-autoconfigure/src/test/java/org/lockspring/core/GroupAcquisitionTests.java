package org.lockspring.core;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.AllOrNothing;
import org.lockspring.LockAttempt;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.memory.MemoryLockBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Several locks, of which one cannot be had. */
class GroupAcquisitionTests {

	private final MemoryLockBackend store = new MemoryLockBackend();

	/** Another process. */
	private final LockTemplate other = template(Way.TOGETHER);

	private LockTemplate template = this.other;

	/** A store that cannot take several in one step hides that it is all or nothing. */
	private LockTemplate template(Way way) {
		return new LockTemplate((way == Way.TOGETHER) ? this.store : new ControlledBackend(this.store),
				new LockSettings("app"));
	}

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(this.template.isIdle()).isTrue();
		this.template.close();
		this.other.close();
	}

	@ParameterizedTest
	@EnumSource
	void nothingIsKeptIfALaterOneIsHeldByAnotherProcess(Way way) {
		this.template = template(way);
		this.other.execute("b", (held) -> {
			assertThatBusy();
			assertThat(this.template.isIdle()).isTrue();
			assertThat(this.other.tryExecute("a", (lease) -> "free")).contains("free");
			return null;
		});
	}

	@ParameterizedTest
	@EnumSource
	void nothingIsKeptIfALaterOneIsHeldByThisProcess(Way way) {
		this.template = template(way);
		this.template.execute("b", (held) -> {
			CompletableFuture.runAsync(this::assertThatBusy).join();
			assertThat(this.template.tryExecute("a", (lease) -> "free")).contains("free");
			assertThat(held.isValid()).isTrue();
			return null;
		});
	}

	@Test
	void allAreGivenBackIfTheTtlOfOneWasOverBeforeTheAnswerCame() {
		this.template = new LockTemplate(new LateBackend(this.store), new LockSettings("app"));
		List<LockRequest> requests = List.of(LockRequest.of("a").withTtl(Duration.ofMillis(50)), LockRequest.of("b"));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.template.executeAll(requests, (lease) -> null))
			.withMessageContaining("came after its ttl");
		assertThat(this.other.tryExecute("b", (lease) -> "free")).contains("free");
	}

	private void assertThatBusy() {
		// What no body has run with is not kept for its shortest hold
		List<LockRequest> requests = Stream.of("a", "b", "c")
			.map((key) -> LockRequest.of(key).withMinHold(Duration.ofSeconds(20)))
			.toList();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.executeAll(requests, (lease) -> null))
			.withMessageContaining("'b'");
	}

	private enum Way {

		TOGETHER, ONE_AFTER_THE_OTHER

	}

	/** A store whose answers come when the first ttl is over. */
	private static final class LateBackend extends ControlledBackend implements AllOrNothing {

		LateBackend(MemoryLockBackend store) {
			super(store);
		}

		@Override
		public boolean canTakeTogether(Collection<String> names) {
			return true;
		}

		@Override
		public Answer tryAcquireAll(List<LockAttempt> attempts) {
			Answer answer = this.store.tryAcquireAll(attempts);
			long granted = System.nanoTime();
			await().until(() -> System.nanoTime() - granted > attempts.get(0).ttl().toNanos());
			return answer;
		}

	}

}
