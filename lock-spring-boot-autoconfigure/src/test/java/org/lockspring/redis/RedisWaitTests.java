package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.Assumption;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.ReleaseSignals;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Two processes that want the same lock: what wakes the one that waits. */
@UsesServer("redis")
class RedisWaitTests {

	private static final LockSettings SETTINGS = new LockSettings("app");

	private static final String NAME = "app:{k}";

	private final RedisServer server = RedisServer.start();

	private final List<AutoCloseable> open = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable each : this.open) {
			each.close();
		}
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void waiterIsWokenByTheRelease(RedisDriver driver) throws Exception {
		for (LockMode mode : LockMode.values()) {
			LockTemplate here = template(process(driver).backend());
			Witness witness = new Witness(process(driver).backend());
			LockTemplate there = template(witness);
			for (int i = 0; i < 10; i++) {
				LockLease held = here.acquire(request(mode));
				CompletableFuture<Void> waiting = waiter(there, mode);
				// It asks once more when it has begun to listen
				await().until(() -> witness.refused.get() > 0);
				witness.tries.set(0);
				witness.signals.set(0);
				held.close();
				waiting.join();
				witness.refused.set(0);
				assertThat(witness.signals).hasValue(1);
				assertThat(witness.lastTry).hasValue("after a signal");
			}
		}
	}

	@Test
	void waiterOfACrashedHolderIsWokenByItsTimer() {
		RedisDriver.Process crashing = RedisDriver.LETTUCE.process(this.server.port());
		LockTemplate here = template(crashing.backend());
		Witness witness = new Witness(process(RedisDriver.LETTUCE).backend());
		LockLease crashed = here
			.acquire(request(LockMode.CORRECTNESS).withTtl(Duration.ofMillis(1500)).withAutoRenew(false));
		long start = System.nanoTime();
		CompletableFuture<Void> waiting = waiter(template(witness), LockMode.CORRECTNESS);
		crashing.close();
		waiting.join();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(2500));
		assertThat(witness.signals).hasValue(0);
		assertThat(witness.tries.get()).isLessThan(10);
		crashed.close();
	}

	@ParameterizedTest
	@EnumSource
	void waiterWhoseSubscriptionWasKilledHasTheLockWithinASecond(RedisDriver driver) throws Exception {
		LockTemplate here = template(process(driver).backend());
		RedisDriver.Process other = process(driver);
		for (int i = 0; i < 3; i++) {
			LockLease held = here.acquire(request(LockMode.CORRECTNESS));
			CompletableFuture<Void> waiting = waiter(template(other.backend()), LockMode.CORRECTNESS);
			await().until(() -> Long.valueOf(1).equals(this.server.command("CLIENT", "KILL", "TYPE", "pubsub")));
			held.close();
			long start = System.nanoTime();
			waiting.join();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
		}
	}

	@Test
	void waiterWithoutTheRightToSubscribeAsksFromTimeToTime() {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "resetchannels", "+@all");
		RedisDriver.Process limited = RedisDriver.LETTUCE.process(this.server.port(), "app", Duration.ofSeconds(10));
		this.open.add(limited);
		Witness witness = new Witness(limited.backend());
		LockLease held = template(process(RedisDriver.LETTUCE).backend()).acquire(request(LockMode.EFFICIENCY));
		CompletableFuture<Void> waiting = waiter(template(witness), LockMode.EFFICIENCY);
		await().until(() -> witness.tries.get() >= 8);
		witness.tries.set(0);
		long start = System.nanoTime();
		await().until(() -> witness.tries.get() >= 5);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(450));
		held.close();
		waiting.join();
	}

	@ParameterizedTest
	@EnumSource
	void waiterNeitherWaitsNorSubscribesIfTheLockIsFree(RedisDriver driver) {
		LockTemplate template = template(process(driver).backend());
		for (LockMode mode : LockMode.values()) {
			template.execute(request(mode), (lease) -> null);
		}
		assertThat(this.server.info("cmdstat_subscribe")).isEmpty();
	}

	@Test
	void scriptCacheMayBeLostAtAnyTime() throws Exception {
		LockTemplate here = template(process(RedisDriver.LETTUCE).backend());
		LockTemplate there = template(process(RedisDriver.JEDIS).backend());
		AtomicInteger failures = new AtomicInteger();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			LockTemplate template = (i % 2 == 0) ? here : there;
			LockRequest request = LockRequest.of("k" + i % 5)
				.withMode(LockMode.values()[i / 5 % 2])
				.withTtl(Duration.ofSeconds(20))
				.withWaitTime(Duration.ofSeconds(30));
			threads.add(new Thread(() -> {
				try {
					for (int round = 0; round < 10; round++) {
						template.execute(request, (lease) -> {
							lease.extend(Duration.ofSeconds(20));
							return null;
						});
					}
				}
				catch (RuntimeException ex) {
					failures.incrementAndGet();
				}
			}));
		}
		threads.forEach(Thread::start);
		while (threads.stream().anyMatch(Thread::isAlive)) {
			this.server.command("SCRIPT", "FLUSH");
		}
		assertThat(failures).hasValue(0);
		assertThat(this.server.info("cmdstat_eval")).isNotEmpty();
	}

	private static CompletableFuture<Void> waiter(LockTemplate template, LockMode mode) {
		return CompletableFuture.runAsync(() -> template.execute(request(mode), (lease) -> null));
	}

	private static LockRequest request(LockMode mode) {
		return LockRequest.of("k").withMode(mode).withTtl(Duration.ofSeconds(30)).withWaitTime(Duration.ofSeconds(30));
	}

	private RedisDriver.Process process(RedisDriver driver) {
		RedisDriver.Process process = driver.process(this.server.port());
		this.open.add(process);
		return process;
	}

	private LockTemplate template(LockBackend backend) {
		LockTemplate template = new LockTemplate(backend, SETTINGS);
		this.open.add(0, template);
		return template;
	}

	/** Tells why each try was made, and otherwise does nothing. */
	private static final class Witness implements LockBackend, ReleaseSignals {

		private final RedisLockBackend backend;

		private final AtomicInteger tries = new AtomicInteger();

		private final AtomicInteger signals = new AtomicInteger();

		private final AtomicInteger listening = new AtomicInteger();

		private final AtomicInteger refused = new AtomicInteger();

		private final AtomicReference<String> lastTry = new AtomicReference<>();

		Witness(RedisLockBackend backend) {
			this.backend = backend;
		}

		@Override
		public String name() {
			return this.backend.name();
		}

		@Override
		public boolean supports(LockMode mode) {
			return this.backend.supports(mode);
		}

		@Override
		public Acquisition tryAcquire(LockAttempt attempt) {
			this.tries.incrementAndGet();
			this.lastTry.set((this.signals.get() > 0) ? "after a signal" : "by timer");
			boolean listens = this.listening.get() > 0;
			Acquisition acquisition = this.backend.tryAcquire(attempt);
			if (listens && acquisition instanceof Acquisition.Busy) {
				this.refused.incrementAndGet();
			}
			return acquisition;
		}

		@Override
		public @Nullable Subscription subscribe(String name, Runnable listener) {
			assertThat(name).isEqualTo(NAME);
			Subscription subscription = this.backend.subscribe(name, () -> {
				this.signals.incrementAndGet();
				listener.run();
			});
			if (subscription == null) {
				return null;
			}
			this.listening.incrementAndGet();
			return () -> {
				this.listening.decrementAndGet();
				subscription.close();
			};
		}

		@Override
		public List<Assumption> assumptions(LockMode mode) {
			return this.backend.assumptions(mode);
		}

	}

}
