package org.lockspring.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.CurrentLock;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.annotation.DistributedLock;
import org.lockspring.annotation.OnBusy;
import org.lockspring.core.LockTemplate;
import org.lockspring.core.ReactiveLockTemplate;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Locked methods whose work ends after they have returned, on a real Redis. */
@UsesServer("redis")
@ExtendWith(OutputCaptureExtension.class)
class DeferredResultTests {

	private static final RedisServer redis = RedisServer.shared();

	private static final Duration SOON = Duration.ofSeconds(20);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, TaskExecutionAutoConfiguration.class,
				LockAutoConfiguration.class, LockReactiveAutoConfiguration.class,
				LockAnnotationAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=" + redis.port(), "lock.namespace=app");

	/** What bodies show; the beans themselves are behind proxies. */
	private static Probe probe = new Probe();

	@BeforeEach
	void empty() {
		redis.flush();
		probe = new Probe();
	}

	private static boolean isLocked(String key) {
		return Long.valueOf(1).equals(redis.command("EXISTS", "app:{" + key + "}"));
	}

	private static void awaitReleased(String key) {
		await().pollInterval(Duration.ofMillis(10)).atMost(Duration.ofMillis(200)).until(() -> !isLocked(key));
	}

	private <T> void with(Class<T> bean, ThrowingConsumer<T> test) {
		run(this.runner.withBean(bean), (context) -> test.accept(context.getBean(bean)));
	}

	private static void run(ApplicationContextRunner runner, ThrowingConsumer<ApplicationContext> test) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(context);
		});
	}

	@Test
	void monoIsLockedFromItsSubscriptionToItsEnd() {
		with(Reactive.class, (reactive) -> {
			Mono<String> chain = reactive.mono();
			assertThat(probe.calls).hasValue(0);
			assertThat(isLocked("mono")).isFalse();
			CompletableFuture<String> result = chain.toFuture();
			await().until(() -> probe.calls.get() == 1);
			assertThat(isLocked("mono")).isTrue();
			assertThatThrownBy(() -> reactive.mono().block()).isInstanceOf(LockNotAcquiredException.class);
			assertThat(result).isNotDone();
			probe.chain.tryEmitValue("value");
			assertThat(result).succeedsWithin(SOON).isEqualTo("value");
			awaitReleased("mono");
			assertThat(chain.block()).isEqualTo("value");
			assertThat(probe.calls).hasValue(2);
		});
	}

	@Test
	void monoReleasesOnErrorAndCancellation() {
		with(Reactive.class, (reactive) -> {
			CompletableFuture<String> failing = reactive.mono().toFuture();
			await().until(() -> isLocked("mono"));
			probe.chain.tryEmitError(new IllegalStateException("body"));
			assertThat(failing).failsWithin(SOON);
			awaitReleased("mono");
			Disposable subscription = reactive.never().subscribe();
			await().until(() -> isLocked("never"));
			subscription.dispose();
			awaitReleased("never");
		});
	}

	@Test
	void otherReactiveTypesAreLockedToo() {
		with(Reactive.class, (reactive) -> {
			assertThat(reactive.flux().collectList().block()).containsExactly(true, true, true);
			assertThat(JdkFlowAdapter.flowPublisherToFlux(reactive.flow()).collectList().block()).containsExactly(true,
					true);
			awaitReleased("flux");
			awaitReleased("flow");
		});
	}

	@Test
	void busyLockIsAnEmptyResultWithSkip() {
		with(Reactive.class, (reactive) -> {
			redis.command("SET", "app:{skipped}", "another process");
			assertThat(reactive.skipped().blockOptional()).isEmpty();
			assertThat(reactive.skippedStage()).isCompletedWithValue(null);
			redis.command("DEL", "app:{skipped}");
			assertThat(reactive.skipped().block()).isEqualTo("ran");
			assertThat(reactive.skippedStage()).succeedsWithin(SOON).isEqualTo("ran");
		});
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void releaseWorksFromAnotherThread(LockMode mode, CapturedOutput output) {
		run(this.runner, (context) -> {
			ReactiveLockTemplate template = context.getBean(ReactiveLockTemplate.class);
			for (int i = 0; i < 100; i++) {
				String key = "k" + i;
				template
					.execute(LockRequest.of(key).withMode(mode),
							(lease) -> Mono.delay(Duration.ofMillis(1), Schedulers.parallel())
								.publishOn(Schedulers.single()))
					.block();
				awaitReleased(key);
			}
			assertThat(output.getOut()).doesNotContain("WARN", "ERROR");
		});
	}

	@Test
	void chainInsideReentersWithTheSameToken() {
		with(Nested.class, (nested) -> {
			assertThat(nested.outer(nested).block()).isTrue();
			awaitReleased("nested");
		});
	}

	@Test
	void severalLocksAreHeldUntilTheEnd() {
		with(Reactive.class, (reactive) -> {
			assertThat(reactive.several(List.of("b", "a")).block()).isTrue();
			awaitReleased("a");
			awaitReleased("b");
		});
	}

	@Test
	void lossEndsAChainInCorrectness() {
		with(Reactive.class, (reactive) -> {
			CompletableFuture<String> chain = reactive.lost().toFuture();
			await().until(() -> isLocked("lost"));
			redis.command("DEL", "app:{lost}");
			assertThat(chain).failsWithin(SOON)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockLostException.class);
		});
	}

	@Test
	void stageIsLockedUntilItIsComplete() {
		with(Staged.class, (staged) -> {
			CompletableFuture<String> stage = new CompletableFuture<>();
			CompletableFuture<String> result = staged.run(() -> stage);
			assertThat(CurrentLock.leases()).isEmpty();
			assertThat(isLocked("stage")).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> staged.run(() -> stage));
			assertThat(isLocked("stage")).isTrue();
			stage.complete("value");
			assertThat(result).succeedsWithin(SOON).isEqualTo("value");
			awaitReleased("stage");
		});
	}

	@Test
	void stageThatFailsOrIsCancelledReleases() {
		with(Staged.class, (staged) -> {
			CompletableFuture<String> failing = new CompletableFuture<>();
			CompletableFuture<String> result = staged.run(() -> failing);
			failing.completeExceptionally(new IllegalStateException("body"));
			assertThat(result).failsWithin(SOON);
			awaitReleased("stage");
			CompletableFuture<String> endless = new CompletableFuture<>();
			CompletableFuture<String> cancelled = staged.run(() -> endless);
			assertThat(isLocked("stage")).isTrue();
			cancelled.cancel(true);
			awaitReleased("stage");
			assertThat(endless).isCancelled();
		});
	}

	@Test
	void methodThatThrowsBeforeItReturnsReleasesAtOnce() {
		with(Staged.class, (staged) -> {
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> staged.run(() -> {
				assertThat(isLocked("stage")).isTrue();
				throw new IllegalStateException("body");
			}));
			awaitReleased("stage");
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void futureIsLockedUntilItIsDone(boolean stage) {
		with(Futures.class, (futures) -> {
			CompletableFuture<String> end = new CompletableFuture<>();
			Future<String> result = futures.run(() -> stage ? end : new Plain<>(end));
			assertThat(isLocked("future")).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> futures.run(() -> end));
			assertThat(result).isNotDone();
			end.complete("value");
			assertThat(result).succeedsWithin(SOON).isEqualTo("value");
			awaitReleased("future");
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void futureThatFailsOrIsCancelledReleases(boolean stage) {
		with(Futures.class, (futures) -> {
			IllegalStateException failure = new IllegalStateException("body");
			CompletableFuture<String> failed = CompletableFuture.failedFuture(failure);
			assertThat(futures.run(() -> stage ? failed : new Plain<>(failed))).failsWithin(SOON)
				.withThrowableOfType(ExecutionException.class)
				.havingCause()
				.isSameAs(failure);
			awaitReleased("future");
			CompletableFuture<String> endless = new CompletableFuture<>();
			Future<String> cancelled = futures.run(() -> stage ? endless : new Plain<>(endless));
			assertThat(isLocked("future")).isTrue();
			cancelled.cancel(true);
			awaitReleased("future");
			assertThat(endless).isCancelled();
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { WithAsync.class, WithAsyncInside.class })
	void asyncFutureIsLockedInEitherOrder(Class<?> configuration) {
		run(inOrder(configuration).withBean(AsyncFuture.class), (context) -> {
			Future<String> result = context.getBean(AsyncFuture.class).run();
			await().until(() -> probe.inBody.getCount() == 0);
			assertThat(isLocked("async")).isTrue();
			assertThat(result).isNotDone();
			probe.end.countDown();
			assertThat(result).succeedsWithin(SOON).isEqualTo("ran");
			awaitReleased("async");
		});
	}

	@Test
	void futureInsideAnAsyncMethodIsLockedUntilItIsDone() {
		run(inOrder(WithAsync.class).withBean(AsyncFuture.class), (context) -> {
			CompletableFuture<String> end = new CompletableFuture<>();
			Future<String> result = context.getBean(AsyncFuture.class).run(new Plain<>(end));
			await().until(() -> isLocked("async"));
			end.complete("value");
			assertThat(result).succeedsWithin(SOON).isEqualTo("value");
			awaitReleased("async");
		});
	}

	@Test
	void asyncVoidIsLockedWhereItRuns() {
		run(this.runner.withUserConfiguration(WithAsync.class).withBean(AsyncVoid.class), (context) -> {
			context.getBean(AsyncVoid.class).run();
			await().until(() -> probe.inBody.getCount() == 0);
			assertThat(isLocked("async")).isTrue();
			assertThat(probe.held).isTrue();
			probe.end.countDown();
			awaitReleased("async");
		});
	}

	@Test
	void asyncVoidInsideTheLockEndsTheStart() {
		this.runner.withUserConfiguration(WithAsyncInside.class)
			.withBean(AsyncVoid.class)
			.withPropertyValues("lock.annotation.order=" + Ordered.LOWEST_PRECEDENCE)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockDefinitionException.class)
				.hasMessageContainingAll("AsyncVoid#run", "@Async", "lock.annotation.order"));
	}

	@ParameterizedTest
	@ValueSource(classes = { WithAsync.class, WithAsyncInside.class })
	void asyncStageIsLockedInEitherOrder(Class<?> configuration) {
		run(inOrder(configuration).withBean(AsyncStage.class), (context) -> {
			CompletableFuture<String> result = context.getBean(AsyncStage.class).run();
			await().until(() -> probe.inBody.getCount() == 0);
			assertThat(isLocked("async")).isTrue();
			assertThat(probe.thread).isNotSameAs(Thread.currentThread());
			probe.end.countDown();
			assertThat(result).succeedsWithin(SOON).isEqualTo("ran");
			awaitReleased("async");
		});
	}

	private ApplicationContextRunner inOrder(Class<?> configuration) {
		int order = Ordered.LOWEST_PRECEDENCE - ((configuration == WithAsync.class) ? 2 : 0);
		return this.runner.withUserConfiguration(configuration).withPropertyValues("lock.annotation.order=" + order);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void manualLeaseIsClosedByAnotherThread(LockMode mode, CapturedOutput output) {
		run(this.runner, (context) -> {
			LockLease lease = context.getBean(LockTemplate.class).acquire(LockRequest.of("manual").withMode(mode));
			assertThat(isLocked("manual")).isTrue();
			Thread closing = new Thread(lease::close);
			closing.start();
			closing.join();
			awaitReleased("manual");
			assertThat(CurrentLock.leases()).isEmpty();
			assertThat(output.getOut()).doesNotContain("WARN", "ERROR");
		});
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void virtualThreadsRunOneAtATime(CapturedOutput output, @TempDir Path directory) {
		run(this.runner.withPropertyValues("spring.threads.virtual.enabled=true"), (context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			AtomicInteger inside = new AtomicInteger();
			AtomicInteger most = new AtomicInteger();
			AtomicInteger runs = new AtomicInteger();
			List<Future<?>> ends = new CopyOnWriteArrayList<>();
			ExecutorService executor = virtualThreads();
			Recording recording = new Recording();
			recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ofMillis(20)).withStackTrace();
			recording.start();
			try {
				for (int i = 0; i < 1000; i++) {
					ends.add(executor.submit(() -> template
						.execute(LockRequest.of("virtual").withWaitTime(Duration.ofSeconds(60)), (lease) -> {
							most.accumulateAndGet(inside.incrementAndGet(), Math::max);
							Thread.sleep(5);
							inside.decrementAndGet();
							return runs.incrementAndGet();
						})));
				}
				for (Future<?> end : ends) {
					end.get();
				}
			}
			finally {
				executor.shutdown();
				recording.stop();
			}
			assertThat(most).hasValue(1);
			assertThat(runs).hasValue(1000);
			recording.dump(directory.resolve("pinned.jfr"));
			assertThat(RecordingFile.readAllEvents(directory.resolve("pinned.jfr")))
				.filteredOn((event) -> event.getEventType().getName().equals("jdk.VirtualThreadPinned")
						&& event.getStackTrace() != null && isOurs(event.getStackTrace()))
				.isEmpty();
			assertThat(output.getOut()).doesNotContain("WARN", "ERROR");
		});
	}

	private static boolean isOurs(RecordedStackTrace trace) {
		return trace.getFrames()
			.stream()
			.map((frame) -> frame.getMethod().getType().getName())
			.anyMatch((type) -> type.startsWith("org.lockspring.") && !type.contains("Tests"));
	}

	private static ExecutorService virtualThreads() throws ReflectiveOperationException {
		return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
	}

	@ParameterizedTest
	@ValueSource(classes = { SpecialFuture.class, SpecialStage.class, SpecialFlux.class })
	void whatCannotBeLockedUntilItsEndEndsTheStart(Class<?> bean) {
		this.runner.withBean(bean)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockDefinitionException.class)
				.hasMessageContainingAll(bean.getSimpleName() + "#run", "Return "));
	}

	@Test
	void applicationWithoutReactorLocksStages() {
		run(this.runner.withClassLoader(new FilteredClassLoader("reactor", "org.reactivestreams", "io.lettuce"))
			.withPropertyValues("spring.data.redis.client-type=jedis"), (context) -> {
				assertThat(context.containsBean("reactiveLockTemplate")).isFalse();
				assertThat(context.getBean(LockTemplate.class)
					.executeAsync("k", (lease) -> CompletableFuture.completedFuture(lease.isValid())))
					.isCompletedWithValue(true);
			});
	}

	@FunctionalInterface
	interface ThrowingConsumer<T> {

		void accept(T value) throws Exception;

	}

	static class Probe {

		final AtomicInteger calls = new AtomicInteger();

		final Sinks.One<String> chain = Sinks.one();

		final CountDownLatch inBody = new CountDownLatch(1);

		final CountDownLatch end = new CountDownLatch(1);

		volatile Thread thread;

		volatile boolean held;

		void run() throws InterruptedException {
			this.held = CurrentLock.leases().size() == 1;
			this.thread = Thread.currentThread();
			this.inBody.countDown();
			this.end.await();
		}

	}

	static class Reactive {

		@DistributedLock("mono")
		public Mono<String> mono() {
			probe.calls.incrementAndGet();
			return probe.chain.asMono().publishOn(Schedulers.parallel());
		}

		@DistributedLock("never")
		public Mono<String> never() {
			return Mono.never();
		}

		@DistributedLock(key = "flux", mode = LockMode.CORRECTNESS)
		public Flux<Boolean> flux() {
			return Flux.range(0, 3).map((i) -> isLocked("flux"));
		}

		@DistributedLock("flow")
		public Flow.Publisher<Boolean> flow() {
			return JdkFlowAdapter.publisherToFlowPublisher(Flux.range(0, 2).map((i) -> isLocked("flow")));
		}

		@DistributedLock(key = "skipped", onBusy = OnBusy.SKIP)
		public Mono<String> skipped() {
			return Mono.just("ran");
		}

		@DistributedLock(key = "skipped", onBusy = OnBusy.SKIP)
		public CompletableFuture<@Nullable String> skippedStage() {
			return CompletableFuture.completedFuture("ran");
		}

		@DistributedLock("#keys")
		public Mono<Boolean> several(List<String> keys) {
			return Mono.fromSupplier(() -> keys.stream().allMatch(DeferredResultTests::isLocked));
		}

		@DistributedLock(key = "lost", mode = LockMode.CORRECTNESS, ttl = "300ms")
		public Mono<String> lost() {
			return Mono.never();
		}

	}

	static class Nested {

		@DistributedLock(key = "nested", mode = LockMode.CORRECTNESS)
		public Mono<Boolean> outer(Nested self) {
			LockLease outer = CurrentLock.lease();
			return Mono.delay(Duration.ofMillis(5), Schedulers.parallel())
				.then(self.inner())
				.map((inner) -> inner.fencingToken().equals(outer.fencingToken()));
		}

		@DistributedLock(key = "nested", mode = LockMode.CORRECTNESS)
		public Mono<LockLease> inner() {
			return ReactiveLockTemplate.currentLease();
		}

	}

	static class Staged {

		@DistributedLock(key = "stage", mode = LockMode.CORRECTNESS)
		public CompletableFuture<String> run(Supplier<CompletableFuture<String>> body) {
			assertThat(CurrentLock.isHeld("stage")).isTrue();
			return body.get();
		}

	}

	static class Futures {

		@DistributedLock(key = "future", mode = LockMode.CORRECTNESS)
		public Future<String> run(Supplier<Future<String>> body) {
			assertThat(CurrentLock.isHeld("future")).isTrue();
			return body.get();
		}

	}

	/** A future that tells nobody when it is done. */
	record Plain<T>(Future<T> source) implements Future<T> {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			return this.source.cancel(mayInterruptIfRunning);
		}

		@Override
		public boolean isCancelled() {
			return this.source.isCancelled();
		}

		@Override
		public boolean isDone() {
			return this.source.isDone();
		}

		@Override
		public T get() throws InterruptedException, ExecutionException {
			return this.source.get();
		}

		@Override
		public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
			return this.source.get(timeout, unit);
		}

	}

	static class AsyncVoid {

		@Async
		@DistributedLock("async")
		public void run() throws InterruptedException {
			probe.run();
		}

	}

	static class AsyncStage {

		@Async
		@DistributedLock("async")
		public CompletableFuture<String> run() throws InterruptedException {
			probe.run();
			return CompletableFuture.completedFuture("ran");
		}

	}

	static class AsyncFuture {

		@Async
		@DistributedLock("async")
		public Future<String> run() throws InterruptedException {
			probe.run();
			return CompletableFuture.completedFuture("ran");
		}

		@Async
		@DistributedLock("async")
		public Future<String> run(Future<String> result) {
			return result;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class WithAsync {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(order = 0)
	static class WithAsyncInside {

	}

	static class SpecialFuture {

		@DistributedLock("k")
		public FutureTask<String> run() {
			return new FutureTask<>(() -> "ran");
		}

	}

	static class SpecialStage {

		@DistributedLock("k")
		public Special run() {
			return new Special();
		}

		static class Special extends CompletableFuture<String> {

		}

	}

	static class SpecialFlux {

		@DistributedLock("k")
		public ConnectableFlux<String> run() {
			return Flux.just("ran").publish();
		}

	}

}
