package org.lockspring.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.TokenCounter;
import org.lockspring.core.ReactiveLockTemplate;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.UsesServer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * One server: sessions that end, requests and replies on their way, a server that is
 * away.
 */
@UsesServer("zookeeper")
class ZooKeeperFaultTests {

	private static final Duration SESSION = Duration.ofSeconds(6);

	private static final Duration LONG = Duration.ofMinutes(1);

	private TestingServer server;

	private FaultProxy proxy;

	/** Behind the proxy. */
	private ZooKeeperProcess process;

	private ZooKeeperProcess direct;

	@BeforeEach
	void start() throws Exception {
		this.server = ZooKeeperProcess.server();
		this.proxy = FaultProxy.to("127.0.0.1", this.server.getPort());
		this.process = new ZooKeeperProcess("127.0.0.1:" + this.proxy.port(), SESSION);
		this.direct = new ZooKeeperProcess(this.server.getConnectString(), SESSION);
		for (ZooKeeperProcess each : new ZooKeeperProcess[] { this.process, this.direct }) {
			each.client.blockUntilConnected(30, TimeUnit.SECONDS);
			each.template.execute("k", (lease) -> null);
		}
	}

	@AfterEach
	void close() throws Exception {
		this.process.close();
		this.direct.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void ensembleThatForgotEverythingGivesNoTokenASecondTime() throws Exception {
		for (int i = 0; i < 50; i++) {
			this.process.template.execute("k", (lease) -> null);
		}
		try (TestingServer empty = ZooKeeperProcess.server()) {
			this.proxy.retarget(empty.getPort());
			this.proxy.cutAll();
			await().atMost(SESSION.multipliedBy(5))
				.ignoreExceptionsMatching(
						(ex) -> ex instanceof LockUnavailableException unavailable && unavailable.isRetryable())
				.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(
							() -> this.process.backend.tryAcquire(ZooKeeperProcess.attempt(LockMode.CORRECTNESS, LONG)))
					.withMessageContaining("gone back in time")
					.satisfies((ex) -> assertThat(ex.isRetryable()).isFalse()));
			// What was refused is given back meanwhile
			this.process.template.execute(LockRequest.of("k").withWaitTime(Duration.ofSeconds(20)), (lease) -> null);
		}
	}

	@Test
	void uncontendedLockTakesThreeRequestsAndLeavesNothing() throws Exception {
		try (ZooKeeperProcess quiet = new ZooKeeperProcess("127.0.0.1:" + this.proxy.port(), Duration.ofSeconds(60))) {
			quiet.template.execute("k", (lease) -> null);
			int[] requests = new int[1];
			this.process.close();
			this.proxy.only((request) -> {
				requests[0]++;
				return false;
			});
			quiet.template.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS), (lease) -> null);
			assertThat(requests[0]).isLessThanOrEqualTo(3);
			assertThat(this.direct.client.getChildren().forPath(NodePaths.PARENT)).isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource
	void lostReplyIsUnavailableAndTheUnknownGrantIsGivenBack(LockMode mode) {
		LockAttempt attempt = ZooKeeperProcess.attempt(mode, LONG);
		this.proxy.onlyRequestsWith(attempt.owner()).cutAfterRequest();
		try {
			// A client that is back in time asks again, and then it learns of its grant
			assertThat(this.process.backend.tryAcquire(attempt)).isInstanceOfSatisfying(Acquisition.Granted.class,
					(granted) -> granted.lease().release());
		}
		catch (LockUnavailableException ex) {
			assertThat(ex.isRetryable()).isTrue();
		}
		assertThat(this.proxy.cut()).isEqualTo(1);
		await().until(() -> !this.direct.exists());
		LockRequest request = LockRequest.of("k").withMode(mode).withWaitTime(Duration.ofSeconds(20));
		this.process.template.execute(request, (lease) -> null);
	}

	@Test
	void requestThatArrivesLateLeavesNothingBehind() throws Exception {
		LockAttempt attempt = ZooKeeperProcess.attempt(LockMode.CORRECTNESS, LONG);
		this.proxy.onlyRequestsWith(attempt.owner()).holdRequests();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.process.backend.tryAcquire(attempt));
		this.proxy.releaseRequests();
		this.proxy.heal();
		LockRequest request = LockRequest.of("k").withWaitTime(Duration.ofSeconds(20));
		this.direct.template.execute(request, (lease) -> null);
		await().during(Duration.ofSeconds(1)).until(() -> !this.direct.exists());
	}

	@Test
	void releaseThatWasCutOffIsMadeUpFor() throws Exception {
		LockLease lease = this.process.template.acquire(LockRequest.of("k").withMode(LockMode.CORRECTNESS));
		this.proxy.blackhole();
		lease.close();
		assertThat(this.direct.exists()).isTrue();
		this.proxy.heal();
		await().until(() -> !this.direct.exists());
		LockRequest request = LockRequest.of("k").withWaitTime(Duration.ofSeconds(20));
		this.process.template.execute(request, (again) -> null);
		this.direct.template.execute(request, (again) -> null);
	}

	@Test
	void holderThatIsCutOffStopsBeforeItsSessionEnds() throws Exception {
		LockLease lease = this.process.template
			.acquire(LockRequest.of("k").withMode(LockMode.CORRECTNESS).withTtl(LONG));
		await().during(SESSION).atMost(SESSION.multipliedBy(2)).until(lease::isValid);
		this.proxy.blackhole();
		long start = System.nanoTime();
		AtomicLong seenValidAt = new AtomicLong(start);
		await().until(() -> {
			long now = System.nanoTime();
			if (lease.isValid()) {
				seenValidAt.set(now);
				return false;
			}
			return true;
		});
		assertThat(Duration.ofNanos(seenValidAt.get() - start)).isLessThanOrEqualTo(SESSION);
		assertThat(this.direct.exists()).isTrue();
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS).withWaitTime(LONG);
		long next = this.direct.template.execute(request, (other) -> other.fencingToken().value());
		assertThat(next).isGreaterThan(lease.fencingToken().value());
		this.proxy.heal();
		lease.close();
	}

	@Test
	void killedSessionLosesTheLockAndNeverTouchesTheNextOne() throws Exception {
		ZooKeeperLease first = this.process.granted(ZooKeeperProcess.attempt(LockMode.CORRECTNESS, LONG));
		kill(this.process.client.getZookeeperClient().getZooKeeper());
		await().until(() -> !this.direct.exists());
		ZooKeeperLease second = this.direct.granted(ZooKeeperProcess.attempt(LockMode.CORRECTNESS, LONG));
		assertThat(second.fencingToken().isNewerThan(first.fencingToken())).isTrue();
		await().ignoreExceptions().untilAsserted(() -> assertThat(first.renew(LONG)).isEqualTo(Ownership.TAKEN));
		assertThat(first.release()).isCompletedWithValue(Ownership.TAKEN);
		assertThat(second.renew(LONG)).isEqualTo(Ownership.HELD);
		await().until(() -> first.validUntil() - System.nanoTime() < 0);
	}

	private void kill(ZooKeeper session) throws Exception {
		CountDownLatch connected = new CountDownLatch(1);
		ZooKeeper same = new ZooKeeper(this.server.getConnectString(), (int) SESSION.toMillis(), (event) -> {
			if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
				connected.countDown();
			}
		}, session.getSessionId(), session.getSessionPasswd());
		assertThat(connected.await(20, TimeUnit.SECONDS)).isTrue();
		same.close();
	}

	@Test
	void nodeOfTheSessionBeforeIsNotAdopted() throws Exception {
		LockAttempt attempt = ZooKeeperProcess.attempt(LockMode.CORRECTNESS, LONG);
		// As it looks to a process that has another session by now
		this.direct.client.create()
			.withMode(CreateMode.EPHEMERAL)
			.forPath(ZooKeeperProcess.PATH, attempt.owner().getBytes(StandardCharsets.UTF_8));
		assertThat(this.process.backend.tryAcquire(attempt)).isInstanceOf(Acquisition.Busy.class);
		long before = this.direct.client.checkExists().forPath(ZooKeeperProcess.PATH).getCzxid();
		this.direct.client.delete().forPath(ZooKeeperProcess.PATH);
		assertThat(this.process.granted(attempt).fencingToken().value()).isGreaterThan(before);
	}

	@Test
	void waiterSurvivesAServerThatStopsMeanwhile() throws Exception {
		ZooKeeperLease held = this.direct.granted(ZooKeeperProcess.attempt(LockMode.EFFICIENCY, LONG));
		LockRequest request = LockRequest.of("k").withWaitTime(LONG);
		CompletableFuture<Long> waiting = CompletableFuture
			.supplyAsync(() -> this.process.template.execute(request, (lease) -> System.nanoTime()));
		this.server.stop();
		await().during(Duration.ofSeconds(1)).until(() -> !waiting.isDone());
		this.server.restart();
		await().ignoreExceptions()
			.atMost(Duration.ofSeconds(30))
			.until(() -> held.release().toCompletableFuture().join() != null);
		assertThat(waiting).succeedsWithin(LONG);
	}

	@Test
	void stoppedServerIsUnavailableInTime() throws Exception {
		this.server.stop();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.direct.template.acquire("k"))
			.withMessageContainingAll("'k'", this.server.getConnectString());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
	}

	@Test
	void waiterIsWokenByTheRelease() {
		for (int i = 0; i < 10; i++) {
			LockLease held = this.direct.template.acquire("k");
			int[] signals = new int[1];
			try (var subscription = this.process.backend.subscribe(ZooKeeperProcess.NAME, () -> signals[0]++)) {
				LockRequest request = LockRequest.of("k").withWaitTime(LONG);
				CompletableFuture<Void> waiting = CompletableFuture
					.runAsync(() -> this.process.template.execute(request, (lease) -> null));
				held.close();
				waiting.join();
				await().until(() -> signals[0] > 0);
			}
		}
	}

	@Test
	void interruptedWaitersAndManyKeysLeaveNothing() throws Exception {
		LockLease held = this.direct.template.acquire("k");
		for (int i = 0; i < 50; i++) {
			Thread waiter = new Thread(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.process.template.acquire(LockRequest.of("k").withWaitTime(LONG))));
			waiter.start();
			Thread.sleep(i % 10);
			waiter.interrupt();
			waiter.join();
		}
		held.close();
		for (int i = 0; i < 200; i++) {
			this.process.template.execute("key-" + i, (lease) -> null);
		}
		assertThat(this.direct.client.getChildren().forPath(NodePaths.PARENT)).isEmpty();
		assertThat(this.direct.client.getChildren().forPath("/")).containsOnly("lock", "zookeeper");
	}

	@Test
	void leaseBelongsToNoThread() throws Exception {
		LockLease lease = this.process.template.acquire("k");
		CompletableFuture.runAsync(lease::close).join();
		assertThat(this.direct.exists()).isFalse();
		AtomicInteger inside = new AtomicInteger();
		LockRequest request = LockRequest.of("k").withWaitTime(LONG);
		ReactiveLockTemplate reactive = new ReactiveLockTemplate(this.process.template);
		// All begin on one thread, each body ends on another
		List<Integer> found = Flux.range(0, 20)
			.flatMap((i) -> reactive.execute(request,
					(held) -> Mono.fromCallable(inside::incrementAndGet)
						.delayElement(Duration.ofMillis(5), Schedulers.parallel())
						.doOnNext((count) -> inside.decrementAndGet())))
			.collectList()
			.block(LONG);
		assertThat(found).hasSize(20).containsOnly(1);
		await().until(() -> !this.direct.exists());
	}

	@Test
	void tokenRisesAlthoughTheParentIsCreatedAnew() throws Exception {
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS);
		long last = 0;
		for (int i = 0; i < 5; i++) {
			long token = this.process.template.execute(request, (lease) -> lease.fencingToken().value());
			assertThat(token).isGreaterThan(last);
			last = token;
			this.direct.client.delete().forPath(NodePaths.PARENT);
		}
	}

	@Test
	void minHoldIsKeptAndTtlEndsWithoutRenewal() {
		Duration hold = Duration.ofMillis(1500);
		long start = System.nanoTime();
		this.process.template.execute(LockRequest.of("k").withMinHold(hold).withTtl(LONG), (lease) -> null);
		LockRequest request = LockRequest.of("k").withWaitTime(LONG);
		this.direct.template.execute(request, (lease) -> null);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(hold, hold.plusSeconds(3));
	}

	@Test
	void connectionsThatBreakAllTheTimeLoseNoUpdate() throws Exception {
		Thread cutter = new Thread(() -> {
			while (!Thread.currentThread().isInterrupted()) {
				this.proxy.cutAll();
				try {
					Thread.sleep(300);
				}
				catch (InterruptedException ex) {
					return;
				}
			}
		});
		cutter.start();
		try {
			TokenCounter counter = new TokenCounter();
			counter.raise(List.of(this.process.template, this.direct.template), 40, Duration.ofMinutes(2));
			counter.verify(80);
		}
		finally {
			cutter.interrupt();
			cutter.join();
		}
	}

}
