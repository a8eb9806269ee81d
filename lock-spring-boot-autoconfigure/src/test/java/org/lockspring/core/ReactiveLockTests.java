package org.lockspring.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

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
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.FencingToken;
import org.lockspring.memory.MemoryLockBackend;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.NonBlocking;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** A lock around a subscription. */
@ExtendWith(OutputCaptureExtension.class)
class ReactiveLockTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final MemoryLockBackend store = new MemoryLockBackend();

	private final ControlledBackend backend = new ControlledBackend(this.store);

	private final List<LockLostEvent> losses = new CopyOnWriteArrayList<>();

	private final LockTemplate template = template(OnUnavailable.FAIL);

	private final ReactiveLockTemplate reactive = new ReactiveLockTemplate(this.template);

	private LockTemplate template(OnUnavailable onUnavailable) {
		LockSettings settings = new LockSettings("app", LONG, Duration.ZERO, Duration.ofHours(1), OnLoss.FLAG,
				HandOverLimits.DEFAULT, onUnavailable);
		return new LockTemplate(new LockBackends(this.backend, this.backend), settings, List.of(),
				new SimpleAsyncTaskExecutor(), this.losses::add);
	}

	@AfterEach
	void nothingIsLeftBehind() {
		await().until(this.template::isIdle);
		assertThat(CurrentLock.leases()).isEmpty();
		assertThat(this.backend.released.size()).isEqualTo(this.granted());
		this.template.close();
	}

	private int granted() {
		return this.backend.grants.get() - this.backend.handOvers.get();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void nothingHappensBeforeTheSubscriptionAndEachTakesItsOwnLock(LockMode mode) {
		List<LockLease> leases = new CopyOnWriteArrayList<>();
		Mono<String> chain = this.reactive.execute(LockRequest.of("k").withMode(mode), (lease) -> {
			leases.add(lease);
			return Mono.delay(Duration.ofMillis(20)).map((tick) -> lease.isValid() ? "locked" : "free");
		});
		assertThat(this.backend.attempts).isEmpty();
		assertThat(chain.block()).isEqualTo("locked");
		assertThat(chain.block()).isEqualTo("locked");
		assertThat(leases).doesNotHaveDuplicates().hasSize(2).noneMatch(LockLease::isValid);
		assertThat(this.backend.released).hasSize(2);
	}

	@Test
	void endIsSignalledAfterTheRelease() {
		List<Integer> released = new CopyOnWriteArrayList<>();
		Runnable look = () -> released.add(this.backend.released.size());
		this.reactive.execute("k", (lease) -> Mono.just("value")).doOnNext((value) -> look.run()).block();
		this.reactive.executeMany("k", (lease) -> Flux.just(1, 2)).doOnComplete(look).blockLast();
		this.reactive.execute("k", (lease) -> Mono.empty()).doOnSuccess((value) -> look.run()).block();
		assertThat(released).containsExactly(1, 2, 3);
		assertThatThrownBy(() -> this.reactive.execute("k", (lease) -> Mono.error(new IllegalStateException("body")))
			.doOnError((ex) -> look.run())
			.block()).isInstanceOf(IllegalStateException.class).hasMessage("body");
		assertThat(released).endsWith(4);
	}

	@Test
	void bodyThatThrowsIsAnErrorSignalAndReleases() {
		assertThatThrownBy(() -> this.reactive.execute("k", (lease) -> {
			throw new IllegalStateException("body");
		}).block()).isInstanceOf(IllegalStateException.class).hasMessage("body");
		assertThat(this.backend.released).hasSize(1);
	}

	@Test
	void backpressureReachesTheBody() {
		List<Integer> produced = new CopyOnWriteArrayList<>();
		assertThat(this.reactive.executeMany("k", (lease) -> Flux.range(1, 1000).doOnNext(produced::add))
			.limitRate(1)
			.take(3)
			.collectList()
			.block()).containsExactly(1, 2, 3);
		assertThat(produced).hasSizeLessThan(10);
		await().until(() -> this.backend.released.size() == 1);
	}

	@Test
	void cancellationReleases() {
		CountDownLatch inBody = new CountDownLatch(1);
		AtomicBoolean cancelled = new AtomicBoolean();
		Disposable subscription = this.reactive.executeMany("k", (lease) -> {
			inBody.countDown();
			return Flux.never().doOnCancel(() -> cancelled.set(true));
		}).subscribe();
		awaitUninterruptibly(inBody);
		assertThat(this.backend.released).isEmpty();
		subscription.dispose();
		await().until(() -> this.backend.released.size() == 1);
		assertThat(cancelled).isTrue();
	}

	@Test
	void timeoutDownstreamReleases() {
		assertThatThrownBy(
				() -> this.reactive.execute("k", (lease) -> Mono.never()).timeout(Duration.ofMillis(100)).block())
			.hasRootCauseInstanceOf(TimeoutException.class);
		await().until(() -> this.backend.released.size() == 1);
	}

	@Test
	void busyIsAnErrorSignalOrEmpty() {
		try (LockLease held = this.template.acquire("k")) {
			Mono.fromRunnable(() -> {
				Mono<Object> chain = this.reactive.execute("k", (lease) -> {
					throw new AssertionError("The body ran");
				});
				assertThatThrownBy(chain::block).isInstanceOf(LockNotAcquiredException.class);
				Flux<Object> many = this.reactive.executeMany("k", (lease) -> {
					throw new AssertionError("The body ran");
				});
				assertThatThrownBy(many::blockLast).isInstanceOf(LockNotAcquiredException.class);
				assertThat(this.reactive.tryExecute(LockRequest.of("k"), (lease) -> Mono.just(1)).blockOptional())
					.isEmpty();
				assertThat(this.reactive.tryExecuteMany(LockRequest.of("k"), (lease) -> Flux.just(1))
					.collectList()
					.block()).isEmpty();
			}).subscribeOn(Schedulers.boundedElastic()).block();
		}
	}

	@Test
	void busyInsideTheBodyIsNotTakenForOwnBusiness() {
		Mono<Object> chain = this.reactive.tryExecute(LockRequest.of("k"),
				(lease) -> Mono.error(new LockNotAcquiredException("inner")));
		assertThatThrownBy(chain::block).isInstanceOf(LockNotAcquiredException.class).hasMessage("inner");
	}

	@Test
	void manyWaitersTakeTurnsAndNeedOneThread() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		AtomicInteger threads = new AtomicInteger();
		LockRequest request = LockRequest.of("k").withWaitTime(LONG);
		Integer runs = Flux.range(0, 500).flatMap((i) -> this.reactive.execute(request, (lease) -> {
			most.accumulateAndGet(inside.incrementAndGet(), Math::max);
			threads.accumulateAndGet(waitingThreads(), Math::max);
			return Mono.just(i).publishOn(Schedulers.parallel()).doOnNext((n) -> inside.decrementAndGet());
		}), 500).reduce(0, (count, i) -> count + 1).block(LONG);
		assertThat(runs).isEqualTo(500);
		assertThat(most).hasValue(1);
		assertThat(threads).hasValue(1);
	}

	private static int waitingThreads() {
		return (int) Thread.getAllStackTraces()
			.values()
			.stream()
			.filter((stack) -> Arrays.stream(stack)
				.anyMatch((frame) -> frame.getClassName().equals(LocalQueue.class.getName())
						&& frame.getMethodName().equals("await")))
			.count();
	}

	@Test
	void waiterInLineGivesUpInTime() {
		Disposable holder = hold("k");
		List<Throwable> failures = new CopyOnWriteArrayList<>();
		long start = System.nanoTime();
		Disposable first = waiting("k", LONG, failures::add);
		Disposable second = waiting("k", Duration.ofMillis(200), failures::add);
		await().until(() -> failures.size() == 1);
		assertThat(failures.get(0)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(200),
				Duration.ofSeconds(10));
		assertThat(second.isDisposed()).isTrue();
		first.dispose();
		holder.dispose();
	}

	@Test
	void whoTriesOnceDoesNotWaitForThoseInLine() {
		Disposable holder = hold("k");
		Disposable first = waiting("k", LONG, (ex) -> {
		});
		assertThatThrownBy(() -> this.reactive.execute("k", (lease) -> Mono.empty()).block(Duration.ofSeconds(10)))
			.isInstanceOf(LockNotAcquiredException.class);
		first.dispose();
		holder.dispose();
	}

	@Test
	void waiterThatIsCancelledLeavesTheLineAtOnce(CapturedOutput output) {
		Disposable holder = hold("k");
		List<Throwable> failures = new CopyOnWriteArrayList<>();
		Disposable first = waiting("k", LONG, failures::add);
		Disposable second = waiting("k", LONG, failures::add);
		await().until(() -> !this.template.isIdle());
		first.dispose();
		second.dispose();
		holder.dispose();
		await().until(this.template::isIdle);
		assertThat(failures).isEmpty();
		assertThat(output.getOut()).doesNotContain("ERROR", "WARN");
	}

	@Test
	void leaseGrantedInTheInstantOfTheCancellationIsReleased() {
		for (int i = 0; i < 300; i++) {
			Disposable subscription = this.reactive.execute("k" + i, (lease) -> Mono.never()).subscribe();
			if (i % 3 > 0) {
				Thread.yield();
			}
			subscription.dispose();
		}
		await().until(() -> this.template.isIdle() && this.backend.released.size() == granted());
	}

	private Disposable hold(String key) {
		CountDownLatch held = new CountDownLatch(1);
		Disposable holder = this.reactive.execute(key, (lease) -> {
			held.countDown();
			return Mono.never();
		}).subscribe();
		awaitUninterruptibly(held);
		return holder;
	}

	private Disposable waiting(String key, Duration waitTime, Consumer<Throwable> failure) {
		return this.reactive.execute(LockRequest.of(key).withWaitTime(waitTime), (lease) -> Mono.never())
			.subscribe((value) -> {
			}, failure);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void chainInsideReentersWithTheSameTokenAndNoRequest(LockMode mode) {
		LockRequest request = LockRequest.of("k").withMode(mode);
		List<FencingToken> tokens = new ArrayList<>();
		Boolean sameLease = this.reactive.execute(request,
				(outer) -> Mono.just(1)
					.publishOn(Schedulers.parallel())
					.flatMap((one) -> this.reactive.execute(request, (inner) -> {
						assertThat(inner.isValid()).isTrue();
						return ReactiveLockTemplate.currentLease().map((current) -> current == inner && inner == outer);
					}))
					.doOnNext((same) -> {
						tokens.add(outer.fencingToken());
						assertThat(outer.isValid()).isTrue();
					}))
			.block();
		assertThat(sameLease).isTrue();
		assertThat(this.backend.attempts).hasSize(1);
		assertThat(this.backend.released).hasSize(1);
		assertThat(tokens).hasSize(1);
	}

	@Test
	void chainInsideReentersWhileOthersWait() {
		LockRequest request = LockRequest.of("k").withWaitTime(LONG);
		CountDownLatch held = new CountDownLatch(1);
		Sinks.Empty<Void> go = Sinks.empty();
		CompletableFuture<String> chain = this.reactive.execute(request, (outer) -> {
			held.countDown();
			return go.asMono().then(this.reactive.execute(request, (inner) -> Mono.just("inner")));
		}).toFuture();
		awaitUninterruptibly(held);
		CompletableFuture<String> other = this.reactive.execute(request, (lease) -> Mono.just("other")).toFuture();
		go.tryEmitEmpty();
		assertThat(chain).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("inner");
		assertThat(other).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("other");
	}

	@Test
	void chainReentersWhatItsThreadHolds() {
		this.template.execute("k",
				(lease) -> this.reactive
					.execute("other", (other) -> this.reactive.execute("k", (inner) -> Mono.just(inner == lease)))
					.doOnNext((same) -> assertThat(same).isTrue())
					.block());
		assertThat(this.backend.attempts).hasSize(2);
	}

	@Test
	void chainThatOutlivesTheOneAroundItTakesItsOwnLock() {
		Sinks.Empty<Void> go = Sinks.empty();
		CompletableFuture<Boolean> detached = this.reactive.execute("k",
				(outer) -> Mono.deferContextual((context) -> Mono.just(go.asMono()
					.then(this.reactive.execute("k", (inner) -> Mono.just(inner == outer)))
					.contextWrite(context)
					.toFuture())))
			.block();
		assertThat(detached).isNotNull();
		go.tryEmitEmpty();
		assertThat(detached).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(false);
	}

	@Test
	void leaseIsInTheContextAndOnTheThreadOnlyInTheBody() {
		List<Boolean> bound = new ArrayList<>();
		this.reactive.execute("outer", (outer) -> this.reactive.execute("inner", (inner) -> {
			bound.add(CurrentLock.isHeld("outer") && CurrentLock.isHeld("inner"));
			return Mono.zip(ReactiveLockTemplate.currentLease(), ReactiveLockTemplate.currentLease("outer"))
				.doOnNext((leases) -> {
					assertThat(leases.getT1()).isSameAs(inner);
					assertThat(leases.getT2()).isSameAs(outer);
					bound.add(CurrentLock.leases().isEmpty());
				});
		})).block();
		assertThat(bound).containsExactly(true, true);
		assertThatThrownBy(() -> ReactiveLockTemplate.currentLease().block()).isInstanceOf(IllegalStateException.class);
		assertThatThrownBy(
				() -> this.reactive.execute("k", (lease) -> ReactiveLockTemplate.currentLease("other")).block())
			.isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("'other'");
	}

	@Test
	void eventLoopIsNeverBlocked() {
		List<Thread> storeThreads = new CopyOnWriteArrayList<>();
		this.backend.onRequest = () -> storeThreads.add(Thread.currentThread());
		for (LockMode mode : LockMode.values()) {
			LockRequest request = LockRequest.of("k").withMode(mode).withWaitTime(LONG);
			Flux.range(0, 20)
				.flatMap((i) -> this.reactive.execute(request, (lease) -> Mono.delay(Duration.ofMillis(1)))
					.subscribeOn(Schedulers.parallel()))
				.blockLast(LONG);
		}
		assertThat(storeThreads).hasSizeGreaterThan(4).noneMatch((thread) -> thread instanceof NonBlocking);
	}

	@Test
	void lossCancelsTheChainInCorrectness() {
		AtomicBoolean cancelled = new AtomicBoolean();
		LockRequest request = LockRequest.of("k")
			.withMode(LockMode.CORRECTNESS)
			.withTtl(Duration.ofMillis(200))
			.withAutoRenew(false);
		assertThatThrownBy(
				() -> this.reactive.execute(request, (lease) -> Mono.never().doOnCancel(() -> cancelled.set(true)))
					.doOnError((ex) -> assertThat(Thread.currentThread().getName()).isNotEqualTo("lock-watch"))
					.block(LONG))
			.isInstanceOf(LockLostException.class)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).noneMatch((other) -> other instanceof LockLostException));
		assertThat(cancelled).isTrue();
		assertThat(this.losses).hasSize(1);
	}

	@Test
	void lossLetsTheChainGoOnInEfficiency(CapturedOutput output) {
		LockRequest request = LockRequest.of("k").withTtl(Duration.ofMillis(100)).withAutoRenew(false);
		Sinks.One<String> body = Sinks.one();
		CompletableFuture<String> chain = this.reactive.execute(request, (lease) -> body.asMono()).toFuture();
		await().until(() -> this.losses.size() == 1);
		assertThat(chain).isNotDone();
		body.tryEmitValue("value");
		assertThat(chain).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("value");
		assertThat(output.getOut().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.contains("'k'", "lost");
	}

	@Test
	void failureOfTheBodyWinsOverTheLoss() {
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS);
		assertThatThrownBy(() -> this.reactive.execute(request, (lease) -> {
			this.store.reset();
			return Mono.error(new IllegalStateException("body"));
		}).block()).isInstanceOf(IllegalStateException.class)
			.satisfies((ex) -> assertThat(ex.getSuppressed())
				.anyMatch((suppressed) -> suppressed instanceof LockLostException));
	}

	@Test
	void lossThatShowsAtTheReleaseReplacesTheResultInCorrectness() {
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS);
		Mono<String> one = this.reactive.execute(request, (lease) -> {
			this.store.reset();
			return Mono.just("value");
		});
		assertThatThrownBy(one::block).isInstanceOf(LockLostException.class);
		Flux<String> many = this.reactive.executeMany(request, (lease) -> {
			this.store.reset();
			return Flux.just("value");
		});
		assertThatThrownBy(many::blockLast).isInstanceOf(LockLostException.class);
	}

	@Test
	void releaseThatFailsDoesNotMaskTheResult() {
		String result = this.reactive.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS), (lease) -> {
			this.backend.cutOff = true;
			return Mono.just("value");
		}).block();
		assertThat(result).isEqualTo("value");
		this.backend.cutOff = false;
	}

	@Test
	void storeThatIsDownIsAnErrorSignalOrRunsUnlocked() {
		this.backend.cutOff = true;
		assertThatThrownBy(() -> this.reactive.execute("k", (lease) -> Mono.just(1)).block())
			.isInstanceOf(LockUnavailableException.class);
		try (LockTemplate running = template(OnUnavailable.RUN)) {
			assertThat(new ReactiveLockTemplate(running).execute("k", (lease) -> Mono.just(lease.isValid())).block())
				.isFalse();
		}
		this.backend.cutOff = false;
	}

	@Test
	void shutdownLetsAChainTakeWhatItNeedsToEnd() {
		Sinks.Empty<Void> go = Sinks.empty();
		CountDownLatch held = new CountDownLatch(1);
		CompletableFuture<String> chain = this.reactive.execute("k", (lease) -> {
			held.countDown();
			return go.asMono().then(this.reactive.execute("other", (other) -> Mono.just("ended")));
		}).toFuture();
		awaitUninterruptibly(held);
		this.template.grant(false);
		assertThatThrownBy(() -> this.reactive.execute("new", (lease) -> Mono.empty()).block())
			.isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("shutting down");
		go.tryEmitEmpty();
		assertThat(chain).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("ended");
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		await().until(() -> latch.getCount() == 0);
	}

}
