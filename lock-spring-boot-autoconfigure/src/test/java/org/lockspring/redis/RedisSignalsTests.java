package org.lockspring.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.ReleaseSignals.Subscription;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Who waits is told of a release, over one connection that lasts as long as needed. */
@UsesServer("redis")
@ExtendWith(OutputCaptureExtension.class)
class RedisSignalsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final Duration LINGER = Duration.ofSeconds(10);

	private final RedisServer server = RedisServer.start();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	private RedisDriver.Process process;

	@AfterEach
	void close() {
		if (this.process != null) {
			this.process.close();
		}
		this.proxy.close();
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void subscriptionIsInForceWhenItIsReturned(RedisDriver driver) {
		this.process = driver.process(this.proxy.port());
		for (int i = 0; i < 20; i++) {
			AtomicInteger signals = new AtomicInteger();
			Subscription subscription = listen("app:{k" + i + "}", signals::incrementAndGet);
			assertThat(this.server.command("PUBLISH", "app:{k" + i + "}:free", "")).isEqualTo(1L);
			await().until(() -> signals.get() == 1);
			subscription.close();
		}
		assertThat(pubSubConnections()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void everyReleaseIsToldToItsWaitersOnly(RedisDriver driver) {
		this.process = driver.process(this.proxy.port());
		AtomicInteger first = new AtomicInteger();
		AtomicInteger second = new AtomicInteger();
		AtomicInteger other = new AtomicInteger();
		listen("app:{k}", first::incrementAndGet);
		Subscription ended = listen("app:{k}", second::incrementAndGet);
		listen("app:{other}", other::incrementAndGet);
		release("app:{k}", LockMode.EFFICIENCY);
		release("app:{k}", LockMode.CORRECTNESS);
		await().until(() -> first.get() == 2 && second.get() == 2);
		ended.close();
		release("app:{k}", LockMode.CORRECTNESS);
		release("app:{other}", LockMode.CORRECTNESS);
		await().until(() -> first.get() == 3 && other.get() == 1);
		assertThat(second).hasValue(2);
	}

	@Test
	void onlyARemovedEntryIsTold() {
		this.process = RedisDriver.LETTUCE.process(this.proxy.port());
		AtomicInteger signals = new AtomicInteger();
		BackendLease lease = acquire("app:{k}", LockMode.CORRECTNESS);
		listen("app:{k}", signals::incrementAndGet);
		this.server.command("SET", "app:{k}", "another's");
		lease.release();
		this.server.command("DEL", "app:{k}");
		lease.release();
		lease.renew(TIMEOUT);
		release("app:{k}", LockMode.CORRECTNESS);
		await().until(() -> signals.get() == 1);
		assertThat(this.server.info("cmdstat_publish")).startsWith("calls=1,");
	}

	@ParameterizedTest
	@EnumSource
	void connectionOpensForTheFirstWhoWaitsAndClosesWhenNobodyHasWaitedForAWhile(RedisDriver driver) {
		this.process = driver.process(this.proxy.port(), null, Duration.ofMillis(200));
		release("app:{k}", LockMode.EFFICIENCY);
		assertThat(pubSubConnections()).isZero();
		Subscription one = listen("app:{1}", () -> {
		});
		Subscription two = listen("app:{2}", () -> {
		});
		assertThat(pubSubConnections()).isEqualTo(1);
		one.close();
		await().until(() -> channels().equals(List.of("app:{2}:free")));
		two.close();
		await().until(() -> pubSubConnections() == 0);
		AtomicInteger signals = new AtomicInteger();
		listen("app:{1}", signals::incrementAndGet);
		release("app:{1}", LockMode.EFFICIENCY);
		await().until(() -> signals.get() > 0);
	}

	@ParameterizedTest
	@EnumSource
	void killedConnectionIsRestoredAndWhoWaitedMeanwhileIsToldToAsk(RedisDriver driver) {
		this.process = driver.process(this.proxy.port());
		AtomicInteger signals = new AtomicInteger();
		AtomicInteger other = new AtomicInteger();
		listen("app:{k}", signals::incrementAndGet);
		listen("app:{other}", other::incrementAndGet);
		for (int i = 1; i <= 3; i++) {
			int before = signals.get();
			assertThat(this.server.command("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(1L);
			await().until(() -> channels().size() == 2);
			await().until(() -> signals.get() > before && other.get() > 0);
			int restored = signals.get();
			release("app:{k}", LockMode.CORRECTNESS);
			await().until(() -> signals.get() > restored);
		}
	}

	@ParameterizedTest
	@EnumSource
	void userWithoutChannelsReleasesAndIsWarnedOnce(RedisDriver driver, CapturedOutput output) {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~app:*", "resetchannels", "+@all");
		this.process = driver.process(this.proxy.port(), "app", LINGER);
		degraded(output);
	}

	@ParameterizedTest
	@EnumSource
	void userWithoutTheCommandsReleasesAndIsWarnedOnce(RedisDriver driver, CapturedOutput output) {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~app:*", "&*", "+@all", "-publish",
				"-subscribe");
		this.process = driver.process(this.proxy.port(), "app", LINGER);
		degraded(output);
	}

	private void degraded(CapturedOutput output) {
		for (LockMode mode : LockMode.values()) {
			for (int i = 0; i < 3; i++) {
				release("app:{k}", mode);
				await().until(() -> Long.valueOf(0).equals(this.server.command("EXISTS", "app:{k}")));
			}
		}
		int tries = ((List<?>) Objects.requireNonNull(this.server.command("ACL", "LOG"))).size();
		assertThat(tries).isEqualTo(1);
		for (int i = 0; i < 3; i++) {
			assertThat(subscribe("app:{k}", () -> {
			})).isNull();
		}
		await().until(() -> ((List<?>) this.server.command("ACL", "LOG")).size() >= 2);
		assertThat(subscribe("app:{k}", () -> {
		})).isNull();
		assertThat(output.getAll().lines().filter((line) -> line.contains(" WARN ") || line.contains(" ERROR ")))
			.singleElement()
			.asString()
			.contains("PUBLISH", "app:{k}:free", "lock.namespace");
		assertThat(pubSubConnections()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void userLimitedToTheNamespaceIsTold(RedisDriver driver) {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~app:*", "resetchannels", "&app:*", "+set",
				"+get", "+del", "+pexpire", "+pttl", "+time", "+eval", "+evalsha", "+publish", "+subscribe",
				"+unsubscribe", "+hello", "+client", "+ping");
		this.process = driver.process(this.proxy.port(), "app", LINGER);
		AtomicInteger signals = new AtomicInteger();
		listen("app:{k}", signals::incrementAndGet);
		release("app:{k}", LockMode.EFFICIENCY);
		release("app:{k}", LockMode.CORRECTNESS);
		await().until(() -> signals.get() == 2);
		this.process.close();
		assertThat((List<?>) this.server.command("ACL", "LOG")).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void serverThatHangsHoldsUpAWaiterBrieflyOnly(RedisDriver driver) {
		this.process = driver.process(this.proxy.port());
		listen("app:{first}", () -> {
		});
		this.proxy.blackhole();
		long start = System.nanoTime();
		Subscription subscription = null;
		for (int i = 0; i < 20 && subscription == null; i++) {
			subscription = subscribe("app:{k}", () -> {
			});
		}
		assertThat(subscription).isNull();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
		this.proxy.heal();
		AtomicInteger signals = new AtomicInteger();
		listen("app:{k}", signals::incrementAndGet);
		release("app:{k}", LockMode.CORRECTNESS);
		await().until(() -> signals.get() > 0);
	}

	@Test
	void interruptedWaiterIsBackAtOnceWithItsFlag() {
		this.process = RedisDriver.LETTUCE.process(this.proxy.port());
		this.proxy.blackhole();
		Thread.currentThread().interrupt();
		try {
			assertThat(subscribe("app:{k}", () -> {
			})).isNull();
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void closeEndsTheConnectionAndTheListening(RedisDriver driver) {
		this.process = driver.process(this.proxy.port());
		listen("app:{k}", () -> {
		});
		this.process.backend().close();
		await().until(() -> pubSubConnections() == 0);
		assertThat(subscribe("app:{2}", () -> {
		})).isNull();
		this.process.backend().close();
	}

	@ParameterizedTest
	@EnumSource
	void connectionsOfTheApplicationServeAfterListening(RedisDriver driver) {
		this.process = driver.process(this.proxy.port(), null, Duration.ofMillis(100));
		for (int i = 0; i < 5; i++) {
			listen("app:{k}", () -> {
			}).close();
			await().until(() -> pubSubConnections() == 0);
			for (int j = 0; j < 10; j++) {
				release("app:{k}", LockMode.CORRECTNESS);
			}
		}
	}

	private List<?> channels() {
		return (List<?>) Objects.requireNonNull(this.server.command("PUBSUB", "CHANNELS"));
	}

	private long pubSubConnections() {
		return String.valueOf(this.server.command("CLIENT", "LIST", "TYPE", "pubsub")).lines().count();
	}

	/** On a busy machine the first connection may take longer than a waiter waits. */
	private Subscription listen(String name, Runnable listener) {
		return Objects.requireNonNull(await().until(() -> subscribe(name, listener), Objects::nonNull));
	}

	private @Nullable Subscription subscribe(String name, Runnable listener) {
		return this.process.backend().subscribe(name, listener);
	}

	private BackendLease acquire(String name, LockMode mode) {
		return ((Acquisition.Granted) this.process.backend()
			.tryAcquire(new LockAttempt(name, UUID.randomUUID().toString(), mode, TIMEOUT, name))).lease();
	}

	private void release(String name, LockMode mode) {
		acquire(name, mode).release().toCompletableFuture().join();
	}

}
