package org.lockspring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.lockspring.CurrentLock;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.annotation.DistributedLock;
import org.lockspring.annotation.OnBusy;
import org.lockspring.core.LockOperations;
import org.lockspring.fencing.FencingToken;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Locked methods of two instances of one application, on a real Redis. */
@UsesServer("redis")
@ExtendWith(OutputCaptureExtension.class)
class LockedMethodTests {

	private static final RedisServer redis = RedisServer.shared();

	private Instance one;

	private Instance two;

	private Jobs jobs;

	@BeforeEach
	void start() {
		redis.flush();
		this.one = Instance.start(redis.port(), Beans.class);
		this.two = Instance.start(redis.port());
		this.jobs = this.one.get(Jobs.class);
	}

	@AfterEach
	void stop() {
		this.one.close();
		this.two.close();
	}

	private static boolean isLocked(String key) {
		return Long.valueOf(1).equals(redis.command("EXISTS", "app:{" + key + "}"));
	}

	private static long pttl(String key) {
		return (Long) redis.command("PTTL", "app:{" + key + "}");
	}

	private static void awaitReleased(String... keys) {
		await().pollInterval(Duration.ofMillis(10))
			.atMost(Duration.ofMillis(200))
			.until(() -> List.of(keys).stream().noneMatch(LockedMethodTests::isLocked));
	}

	@Test
	void callOnThisPassesTheLockByAndTheAssertionNamesTheKey() {
		// On this thread it would be held here
		try (LockLease held = CompletableFuture.supplyAsync(() -> this.two.locks().acquire("self:7")).join()) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.jobs.asserting("7"));
			assertThat(this.jobs.bodies()).isZero();
			Object owner = redis.command("GET", "app:{self:7}");
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.jobs.callingItself("7"))
				.withMessageContaining("'self:7'");
			assertThat(redis.command("GET", "app:{self:7}")).isEqualTo(owner);
			assertThat(held.isValid()).isTrue();
		}
		awaitReleased("self:7");
		assertThat(this.jobs.callingItselfUnderTheTemplate("7")).isTrue();
		awaitReleased("self:7");
	}

	@Test
	void composedAnnotationPassesItsTtl() {
		assertThat(this.jobs.composed()).isGreaterThan(6000).isLessThanOrEqualTo(7000);
	}

	@Test
	void keyIsReenteredAndStaysHeldUntilTheOuterMethodEnds() {
		List<FencingToken> tokens = this.jobs.reentering(1, () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.two.locks().acquire("order:1"));
			return isLocked("order:1");
		});
		assertThat(tokens).hasSize(2);
		assertThat(tokens.get(0)).isEqualTo(tokens.get(1));
		assertThat(redis.command("GET", "app:{order:1}:fence")).isEqualTo(tokens.get(0).toString());
		awaitReleased("order:1");
	}

	@Test
	void nestedKeysAreBothHeldAndBothReleased() {
		IllegalStateException thrown = new IllegalStateException("b fails");
		assertThatThrownBy(() -> this.jobs.nesting(thrown)).isSameAs(thrown).hasNoSuppressedExceptions();
		awaitReleased("A", "B");
	}

	@Test
	void lockIsReleasedWhenTheMethodEndsByDefault() {
		this.jobs.released();
		long start = System.nanoTime();
		this.jobs.released();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(200));
		assertThat(this.jobs.bodies()).isEqualTo(2);
	}

	@Test
	void lockIsKeptForItsShortestHoldAndThenEnds() {
		this.jobs.kept();
		long first = pttl("kept");
		assertThat(first).isBetween(55_000L, 60_000L);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.jobs.kept());
		await().until(() -> pttl("kept") < first);
		assertThat(this.jobs.bodies()).isEqualTo(1);
	}

	@Test
	void lockThatTheStoreForgotIsFreeAtOnce() {
		this.jobs.kept();
		redis.flush();
		long start = System.nanoTime();
		this.jobs.kept();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(200));
		assertThat(this.jobs.bodies()).isEqualTo(2);
	}

	/** Spring's own lies outside of the lock by default, that of Spring Retry inside. */
	@ParameterizedTest
	@CsvSource({ "2147483645, 3, 1", "2147483647, 1, 1" })
	void orderTellsHowOftenARetriedMethodIsLocked(int order, int acquisitions, int acquisitionsWithSpringRetry) {
		try (Instance instance = Instance.start(redis.port(), Flaky.class, "lock.annotation.order=" + order)) {
			Flaky flaky = instance.get(Flaky.class);
			assertThat(flaky.run()).hasSize(3)
				.satisfies((tokens) -> assertThat(Set.copyOf(tokens)).hasSize(acquisitions));
			awaitReleased("job");
			assertThat(flaky.runWithSpringRetry()).hasSize(3)
				.satisfies((tokens) -> assertThat(Set.copyOf(tokens)).hasSize(acquisitionsWithSpringRetry));
			awaitReleased("job");
		}
	}

	@Test
	void scheduledMethodOfFiveInstancesRunsOnceAndTheOthersSayNothing(CapturedOutput output) {
		Pod.runs.set(0);
		int before = output.getOut().length();
		List<Instance> pods = IntStream.range(0, 5).mapToObj((i) -> Instance.start(redis.port(), Pod.class)).toList();
		try {
			await().until(() -> pods.stream().allMatch((pod) -> pod.get(Pod.class).ticks() >= 50));
			assertThat(Pod.runs).hasValue(1);
			assertThat(output.getOut().substring(before).lines())
				.noneMatch((line) -> line.contains(" WARN ") || line.contains(" ERROR ") || line.contains(" o.l."));
		}
		finally {
			pods.forEach(Instance::close);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Beans {

		@Bean
		Jobs jobs(Other other, LockOperations operations) {
			return new Jobs(other, operations);
		}

		@Bean
		Other other() {
			return new Other();
		}

	}

	static class Jobs {

		private final Other other;

		private final LockOperations operations;

		private int bodies;

		Jobs(Other other, LockOperations operations) {
			this.other = other;
			this.operations = operations;
		}

		int bodies() {
			return this.bodies;
		}

		@DistributedLock(key = "self:#{#id}", ttl = "10s")
		public void asserting(String id) {
			CurrentLock.lease("self:" + id);
			this.bodies++;
		}

		public void callingItself(String id) {
			asserting(id);
		}

		public boolean callingItselfUnderTheTemplate(String id) {
			return this.operations.execute("self:" + id, (lease) -> {
				asserting(id);
				return isLocked("self:" + id);
			});
		}

		@Composed(key = "nightly", ttl = "7s")
		public long composed() {
			return pttl("nightly");
		}

		@DistributedLock(key = "order:#{#id}", mode = LockMode.CORRECTNESS)
		public List<FencingToken> reentering(int id, Supplier<Boolean> afterwards) {
			FencingToken inner = this.other.reentered(id);
			assertThat(afterwards.get()).isTrue();
			return List.of(CurrentLock.fencingToken(), inner);
		}

		@DistributedLock("A")
		public void nesting(RuntimeException exception) {
			this.other.failing(exception);
		}

		@DistributedLock(key = "released", ttl = "60s")
		public void released() {
			this.bodies++;
		}

		@DistributedLock(key = "kept", ttl = "60s", minHold = "60s")
		public void kept() {
			this.bodies++;
		}

	}

	static class Other {

		@DistributedLock(key = "'order:' + #id", mode = LockMode.CORRECTNESS)
		public FencingToken reentered(int id) {
			return CurrentLock.fencingToken();
		}

		@DistributedLock("B")
		public void failing(RuntimeException exception) {
			assertThat(isLocked("A")).isTrue();
			assertThat(isLocked("B")).isTrue();
			throw exception;
		}

	}

	@EnableResilientMethods
	@EnableRetry
	static class Flaky {

		private final List<FencingToken> tokens = new ArrayList<>();

		@Retryable(maxRetries = 2, delay = 200)
		@DistributedLock(key = "job", ttl = "5s", mode = LockMode.CORRECTNESS)
		public List<FencingToken> run() {
			return failTwice();
		}

		@org.springframework.retry.annotation.Retryable(maxAttempts = 3, backoff = @Backoff(200))
		@DistributedLock(key = "job", ttl = "5s", mode = LockMode.CORRECTNESS)
		public List<FencingToken> runWithSpringRetry() {
			return failTwice();
		}

		private List<FencingToken> failTwice() {
			this.tokens.add(CurrentLock.fencingToken());
			if (this.tokens.size() < 3) {
				throw new IllegalStateException("not yet");
			}
			List<FencingToken> result = List.copyOf(this.tokens);
			this.tokens.clear();
			return result;
		}

	}

	@EnableScheduling
	@ImportAutoConfiguration(TaskSchedulingAutoConfiguration.class)
	static class Pod {

		private static final AtomicInteger runs = new AtomicInteger();

		private int ticks;

		int ticks() {
			return this.ticks;
		}

		@Scheduled(fixedDelay = 5)
		@DistributedLock(key = "pods", ttl = "60s", minHold = "60s", onBusy = OnBusy.SKIP)
		public void run() {
			runs.incrementAndGet();
		}

		/** On the same thread, in turn. */
		@Scheduled(fixedDelay = 5)
		public void tick() {
			this.ticks++;
		}

	}

	@DistributedLock
	@Retention(RetentionPolicy.RUNTIME)
	@Target(ElementType.METHOD)
	@interface Composed {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String key();

		@AliasFor(annotation = DistributedLock.class, attribute = "ttl")
		String ttl();

	}

}
