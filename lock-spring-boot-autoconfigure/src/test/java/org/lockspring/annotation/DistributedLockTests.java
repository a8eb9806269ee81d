package org.lockspring.annotation;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.lockspring.BackendLease;
import org.lockspring.CurrentLock;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.autoconfigure.LockAnnotationAutoConfiguration;
import org.lockspring.autoconfigure.LockAutoConfiguration;
import org.lockspring.core.LockOperations;
import org.lockspring.fencing.FencingToken;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * One call of a locked method.
 */
class DistributedLockTests {

	private AnnotationConfigApplicationContext context;

	private RecordingBackend backend;

	private Jobs jobs;

	@BeforeEach
	void start() {
		this.context = new AnnotationConfigApplicationContext();
		this.context.register(RecordingBackend.class, Jobs.class, Other.class);
		this.context.register(LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class);
		this.context.refresh();
		this.backend = this.context.getBean(RecordingBackend.class);
		this.jobs = this.context.getBean(Jobs.class);
	}

	@AfterEach
	void stop() {
		this.context.close();
	}

	@Test
	void aFreeLockIsTakenOnceAndGivenBack() {
		assertThat(this.jobs.one("result")).isEqualTo("result");
		assertThat(this.jobs.one(null)).isNull();
		assertThat(this.backend.events).containsExactly("acquired one", "released one", "acquired one", "released one");
		assertThat(this.backend.attempts).allSatisfy((attempt) -> {
			assertThat(attempt.mode()).isEqualTo(LockMode.EFFICIENCY);
			assertThat(attempt.ttl()).isEqualTo(Duration.ofSeconds(30));
			assertThat(attempt.description()).contains("DistributedLockTests.Jobs#one");
		});
	}

	@Test
	void aBusyLockThrowsByDefaultWhateverIsReturned() {
		this.backend.holdElsewhere("busy");
		assertBusy(() -> this.jobs.throwingVoid());
		assertBusy(() -> this.jobs.throwingString());
		assertBusy(() -> this.jobs.throwingOptional());
		assertBusy(() -> this.jobs.throwingInteger());
		assertBusy(() -> this.jobs.throwingInt());
		assertThat(this.jobs.bodies()).isZero();
	}

	@Test
	void aBusyLockIsSkippedIfAskedFor() {
		this.backend.holdElsewhere("busy");
		this.jobs.skippingVoid();
		assertThat(this.jobs.skippingString()).isNull();
		assertThat(this.jobs.skippingOptional()).isEmpty();
		assertThat(this.jobs.skippingInteger()).isNull();
		assertThat(this.jobs.bodies()).isZero();
		assertThat(this.backend.acquired()).isEmpty();
	}

	@Test
	void aFreeLockIsNotSkipped() {
		this.jobs.skippingVoid();
		assertThat(this.jobs.skippingString()).isEqualTo("ran");
		assertThat(this.jobs.skippingOptional()).contains("ran");
		assertThat(this.jobs.skippingInteger()).isEqualTo(1);
		assertThat(this.jobs.bodies()).isEqualTo(4);
		assertThat(this.jobs.skippingNull()).isNull();
		assertThat(this.jobs.skippingNullOptional()).isNull();
	}

	@Test
	void anotherLockThatIsBusyInTheBodyIsNotSkipped() {
		this.backend.holdElsewhere("inner");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.jobs.skippingAroundInner())
			.withMessageContaining("'inner'");
	}

	@Test
	void theSameExceptionReachesTheCaller() {
		for (Exception thrown : List.of(new IOException("checked"), new IllegalStateException("unchecked"),
				new LockNotAcquiredException("the body's own"))) {
			assertThatThrownBy(() -> this.jobs.failing(thrown)).isSameAs(thrown);
			assertThatThrownBy(() -> this.jobs.skippingFailing(thrown)).isSameAs(thrown);
			assertThatThrownBy(() -> this.jobs.severalFailing(List.of("a", "b"), thrown)).isSameAs(thrown);
			assertThat(thrown).hasNoSuppressedExceptions();
		}
		assertThat(this.backend.isFree("failing")).isTrue();
		assertThat(this.backend.isFree("a")).isTrue();
	}

	@Test
	void noWaitTimeMeansOneTry() {
		this.backend.holdElsewhere("busy");
		long start = System.nanoTime();
		assertBusy(() -> this.jobs.throwingVoid());
		assertThat(this.backend.attempts).hasSize(1);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(100));
	}

	@Test
	void waitTimeBoundsTheWait() {
		this.backend.holdElsewhere("busy");
		long start = System.nanoTime();
		assertBusy(() -> this.jobs.waiting());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(500),
				Duration.ofMillis(700));
		assertThat(this.backend.attempts).hasSizeGreaterThan(1);
	}

	@Test
	void oneWaitTimeServesAllLocksOfADeclaration() {
		// The first is free after 300 ms, the second never: half a second in all, not 0.8
		this.backend.holdElsewhere("a", Duration.ofMillis(300));
		this.backend.holdElsewhere("b");
		long start = System.nanoTime();
		assertBusy(() -> this.jobs.severalWaiting(List.of("b", "a")));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(500),
				Duration.ofMillis(700));
		assertThat(this.backend.acquired()).containsExactly("a");
		assertThat(this.backend.isFree("a")).isTrue();
	}

	@Test
	void severalLocksAreTakenInOrderAndGivenBackInReverse() {
		this.jobs.several(List.of("b", "c", "a", "b"));
		assertThat(this.backend.events).containsExactly("acquired a", "acquired b", "acquired c", "released c",
				"released b", "released a");
		this.backend.clear();
		this.jobs.array(2, 10, 1);
		assertThat(this.backend.acquired()).containsExactly("1", "10", "2");
	}

	@Test
	void allLocksOrNone() {
		BackendLease held = this.backend.holdElsewhere("b");
		assertBusy(() -> this.jobs.several(List.of("c", "b", "a")));
		assertThat(this.backend.events).containsExactly("acquired a", "busy b", "released a");
		assertThat(this.jobs.bodies()).isZero();
		held.release();
		this.jobs.several(List.of("c", "b", "a"));
		assertThat(this.jobs.bodies()).isEqualTo(1);
	}

	@Test
	void declarationsMayDifferInWhatTheyDoWhenBusy() {
		BackendLease held = this.backend.holdElsewhere("skipped");
		assertThat(this.jobs.mixed()).isNull();
		assertThat(this.backend.events).containsExactly("acquired demanded", "busy skipped", "released demanded");
		held.release();
		this.backend.holdElsewhere("demanded");
		assertBusy(() -> this.jobs.mixed());
	}

	@Test
	void theSameKeyTwiceIsOneLockWithTheStrongerMode() {
		assertThat(this.jobs.twice()).isNotNull();
		assertThat(this.backend.acquired()).containsExactly("twice");
	}

	@Test
	void theSameKeyThroughAnotherBeanIsReentered() {
		this.jobs.reentering(1, () -> {
			assertThat(this.backend.isFree("order:1")).isFalse();
			return null;
		});
		assertThat(this.backend.events).containsExactly("acquired order:1", "released order:1");
	}

	@Test
	void nestedKeysAreBothHeldAndReleasedInReverse() {
		IllegalStateException thrown = new IllegalStateException("b fails");
		assertThatThrownBy(() -> this.jobs.nesting(thrown)).isSameAs(thrown);
		assertThat(this.backend.events).containsExactly("acquired A", "acquired B", "released B", "released A");
	}

	@Test
	void selfInvocationPassesTheLockByAndTheAssertionTells() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.jobs.callingItself("7"))
			.withMessageContaining("'self:7'");
		assertThat(this.backend.attempts).isEmpty();
		assertThat(this.jobs.asserting("7").isValid()).isFalse();
		assertThat(this.backend.acquired()).containsExactly("self:7");
	}

	@Test
	void beansWithoutLocksKeepTheirClass() {
		this.context.close();
		Locks.application(Marked.class)
			.run((application) -> assertThat(application.getBean(Marked.class)).hasSameClassAs(new Marked()));
		Locks.application(MarkedJob.class).run((application) -> {
			application.getBean(MarkedJob.class).run();
			assertThat(application.getBean(RecordingBackend.class).acquired()).containsExactly("marked");
		});
	}

	private static void assertBusy(ThrowingCallable call) {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(call);
	}

	static class Jobs {

		private final Other other;

		private final LockOperations operations;

		private int bodies;

		Jobs(Other other, LockOperations operations) {
			this.other = other;
			this.operations = operations;
		}

		/** A field of the proxy would always be zero. */
		int bodies() {
			return this.bodies;
		}

		@DistributedLock("one")
		public @Nullable String one(@Nullable String result) {
			assertThat(CurrentLock.isHeld("one")).isTrue();
			return result;
		}

		@DistributedLock("busy")
		public void throwingVoid() {
			this.bodies++;
		}

		@DistributedLock("busy")
		public String throwingString() {
			this.bodies++;
			return "ran";
		}

		@DistributedLock("busy")
		public Optional<String> throwingOptional() {
			this.bodies++;
			return Optional.of("ran");
		}

		@DistributedLock("busy")
		public Integer throwingInteger() {
			return ++this.bodies;
		}

		@DistributedLock("busy")
		public int throwingInt() {
			return ++this.bodies;
		}

		@DistributedLock(key = "busy", onBusy = OnBusy.SKIP)
		public void skippingVoid() {
			this.bodies++;
		}

		@DistributedLock(key = "busy", onBusy = OnBusy.SKIP)
		public String skippingString() {
			this.bodies++;
			return "ran";
		}

		@DistributedLock(key = "busy", onBusy = OnBusy.SKIP)
		public Optional<String> skippingOptional() {
			this.bodies++;
			return Optional.of("ran");
		}

		@DistributedLock(key = "busy", onBusy = OnBusy.SKIP)
		public Integer skippingInteger() {
			this.bodies++;
			return 1;
		}

		@DistributedLock(key = "busy", onBusy = OnBusy.SKIP)
		public @Nullable String skippingNull() {
			return null;
		}

		@DistributedLock(key = "busy", onBusy = OnBusy.SKIP)
		public @Nullable Optional<String> skippingNullOptional() {
			return null;
		}

		@DistributedLock(key = "outer", onBusy = OnBusy.SKIP)
		public void skippingAroundInner() {
			this.operations.execute("inner", (lease) -> null);
		}

		@DistributedLock("failing")
		public void failing(Exception exception) throws Exception {
			throw exception;
		}

		@DistributedLock(key = "failing", onBusy = OnBusy.SKIP)
		public void skippingFailing(Exception exception) throws Exception {
			throw exception;
		}

		@DistributedLock("#keys")
		public void severalFailing(List<String> keys, Exception exception) throws Exception {
			throw exception;
		}

		@DistributedLock(key = "busy", waitTime = "500ms")
		public void waiting() {
			this.bodies++;
		}

		@DistributedLock("#keys")
		public void several(List<String> keys) {
			assertThat(keys).allMatch(CurrentLock::isHeld);
			this.bodies++;
		}

		@DistributedLock(key = "#keys", waitTime = "500ms")
		public void severalWaiting(List<String> keys) {
			this.bodies++;
		}

		@DistributedLock("#keys")
		public void array(int... keys) {
			this.bodies++;
		}

		@DistributedLock(key = "skipped", onBusy = OnBusy.SKIP)
		@DistributedLock("demanded")
		public String mixed() {
			return "ran";
		}

		@DistributedLock("twice")
		@DistributedLock(key = "twice", mode = LockMode.CORRECTNESS)
		public FencingToken twice() {
			return CurrentLock.fencingToken();
		}

		@DistributedLock(key = "order:#{#id}", mode = LockMode.CORRECTNESS)
		public void reentering(int id, Callable<?> afterwards) {
			assertThat(this.other.reentered(id)).isEqualTo(CurrentLock.fencingToken());
			try {
				afterwards.call();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		@DistributedLock("A")
		public void nesting(RuntimeException exception) {
			this.other.failing(exception);
		}

		public void callingItself(String id) {
			asserting(id);
		}

		@DistributedLock("'self:' + #id")
		public LockLease asserting(String id) {
			return CurrentLock.lease("self:" + id);
		}

	}

	static class Other {

		@DistributedLock(key = "'order:' + #id", mode = LockMode.CORRECTNESS)
		public FencingToken reentered(int id) {
			return CurrentLock.fencingToken();
		}

		@DistributedLock("B")
		public void failing(RuntimeException exception) {
			assertThat(CurrentLock.isHeld("A")).isTrue();
			assertThat(CurrentLock.isHeld("B")).isTrue();
			throw exception;
		}

	}

	interface Marker {

	}

	static class Marked implements Marker {

	}

	static class MarkedJob implements Marker {

		@DistributedLock("marked")
		public void run() {
		}

	}

}
