package org.lockspring.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** What a caller gets when its Redis is gone, or the lock does not come. */
@UsesServer("redis")
@ExtendWith(OutputCaptureExtension.class)
class StoreFailureTests {

	private static final String[] IMPATIENT = { "spring.data.redis.timeout=300ms",
			"spring.data.redis.connect-timeout=300ms" };

	private RedisServer redis;

	@BeforeEach
	void start() {
		this.redis = RedisServer.start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	private Instance instance(String... properties) {
		List<String> all = new ArrayList<>(List.of(IMPATIENT));
		all.addAll(List.of(properties));
		Instance instance = Instance.start(this.redis.port(), all.toArray(String[]::new));
		instance.locks().execute("k", (lease) -> null);
		await().until(() -> !isLocked());
		return instance;
	}

	private boolean isLocked() {
		return Long.valueOf(1).equals(this.redis.command("EXISTS", "app:{k}"));
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.getOut().lines().filter((line) -> line.contains("WARN") && line.contains("o.l.")).toList();
	}

	@ParameterizedTest
	@CsvSource({ "EFFICIENCY, fail", "CORRECTNESS, fail", "CORRECTNESS, run" })
	void bodyDoesNotRunWhenTheStoreIsDown(LockMode mode, String onUnavailable) {
		try (Instance instance = instance("lock.efficiency.on-unavailable=" + onUnavailable)) {
			this.redis.kill();
			AtomicInteger bodies = new AtomicInteger();
			long start = System.nanoTime();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> instance.locks()
				.execute(LockRequest.of("k").withMode(mode).withWaitTime(Duration.ofSeconds(1)),
						(lease) -> bodies.incrementAndGet()));
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(1500));
			assertThat(bodies).hasValue(0);
		}
	}

	@Test
	void bodyRunsOnceWithOneWarningIfTheUserSaysSo(CapturedOutput output) {
		try (Instance instance = instance("lock.efficiency.on-unavailable=run")) {
			this.redis.kill();
			AtomicInteger bodies = new AtomicInteger();
			instance.locks()
				.execute(LockRequest.of("k").withWaitTime(Duration.ofSeconds(1)), (lease) -> bodies.incrementAndGet());
			assertThat(bodies).hasValue(1);
			assertThat(warnings(output)).singleElement()
				.asString()
				.contains("'k'", "lock.efficiency.on-unavailable=run");
		}
	}

	@ParameterizedTest
	@CsvSource({ "EFFICIENCY, lettuce", "EFFICIENCY, jedis", "CORRECTNESS, lettuce", "CORRECTNESS, jedis" })
	void releaseThatFailsMasksNeitherExceptionNorResult(LockMode mode, String client, CapturedOutput output) {
		try (Instance instance = instance("spring.data.redis.client-type=" + client)) {
			LockRequest request = LockRequest.of("k").withMode(mode);
			IllegalStateException thrown = new IllegalStateException("body");
			assertThatThrownBy(() -> instance.locks().execute(request, (lease) -> {
				this.redis.kill();
				throw thrown;
			})).isSameAs(thrown);
			await().until(() -> warnings(output).size() == 1);
			assertThat(warnings(output).get(0)).contains("'k'", "could not be released");
			this.redis.restart();
			LockRequest patient = request.withWaitTime(Duration.ofSeconds(20));
			assertThat(instance.locks().<String, RuntimeException>execute(patient, (lease) -> {
				this.redis.kill();
				return "result";
			})).isEqualTo("result");
			await().until(() -> warnings(output).size() == 2);
			this.redis.restart();
			// More than a pool has: none was kept
			for (int i = 0; i < 20; i++) {
				instance.locks().execute(patient, (lease) -> null);
			}
		}
	}

	@Test
	void interruptEndsTheWaitAtOnceAndLeavesNothing() throws InterruptedException {
		try (Instance instance = instance(); Instance other = instance()) {
			LockLease held = other.locks().acquire("k");
			AtomicReference<Throwable> failure = new AtomicReference<>();
			AtomicReference<Boolean> flag = new AtomicReference<>();
			AtomicInteger bodies = new AtomicInteger();
			Thread waiter = new Thread(() -> {
				try {
					instance.locks()
						.execute(LockRequest.of("k").withWaitTime(Duration.ofSeconds(30)),
								(lease) -> bodies.incrementAndGet());
				}
				catch (LockNotAcquiredException ex) {
					failure.set(ex);
					flag.set(Thread.currentThread().isInterrupted());
				}
			});
			waiter.start();
			await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
			long start = System.nanoTime();
			waiter.interrupt();
			waiter.join();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(200));
			assertThat(failure.get()).isNotNull();
			assertThat(flag.get()).isTrue();
			assertThat(bodies).hasValue(0);
			held.close();
			await().until(() -> !isLocked());
			await().during(Duration.ofSeconds(1)).until(() -> !isLocked());
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1000 })
	void callersOfALockThatNeverComesEndInTime(long waitTime) throws Exception {
		try (Instance instance = instance("lock.wait-time=" + waitTime + "ms"); Instance other = instance()) {
			LockLease held = other.locks().acquire(LockRequest.of("k").withTtl(Duration.ofSeconds(1)));
			ExecutorService callers = Executors.newFixedThreadPool(50);
			CountDownLatch ready = new CountDownLatch(50);
			List<Future<Duration>> ends = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				ends.add(callers.submit(() -> {
					ready.countDown();
					ready.await();
					long start = System.nanoTime();
					assertThatExceptionOfType(LockNotAcquiredException.class)
						.isThrownBy(() -> instance.locks().acquire("k"));
					return Duration.ofNanos(System.nanoTime() - start);
				}));
			}
			for (Future<Duration> end : ends) {
				assertThat(end.get()).isBetween(Duration.ofMillis(waitTime), Duration.ofMillis(waitTime + 200));
			}
			callers.shutdown();
			assertThat(held.isValid()).isTrue();
			held.close();
			await().until(() -> !isLocked());
			instance.locks().execute("k", (lease) -> null);
		}
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void errorOfTheStoreIsNotTakenForABusyLock(LockMode mode) {
		try (Instance instance = instance()) {
			this.redis.command("REPLICAOF", "127.0.0.1", "1");
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> instance.locks().acquire(LockRequest.of("k").withMode(mode)))
				.havingRootCause()
				.withMessageContaining("READONLY");
		}
	}

}
