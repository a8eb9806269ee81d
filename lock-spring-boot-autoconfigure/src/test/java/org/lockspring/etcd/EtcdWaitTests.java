package org.lockspring.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.ReleaseSignals;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Two processes that want the same lock: what wakes the one that waits, and what it
 * costs.
 */
@UsesServer("etcd")
@EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")
class EtcdWaitTests {

	private final EtcdServer server = EtcdServer.start();

	private final FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port());

	private final EtcdProcess here = new EtcdProcess(Duration.ofSeconds(10), this.server.endpoint());

	private final EtcdProcess there = new EtcdProcess(Duration.ofSeconds(10), "http://127.0.0.1:" + this.proxy.port());

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void uncontendedLockTakesFourRequestsAndLeavesNothing() {
		for (LockMode mode : LockMode.values()) {
			long before = requests();
			this.here.template.execute(request().withMode(mode), (lease) -> null);
			await().until(() -> this.server.leases() == 0);
			assertThat(requests() - before).isEqualTo(4);
		}
	}

	private long requests() {
		return this.server.requests("Txn") + this.server.requests("Range") + this.server.requests("LeaseGrant")
				+ this.server.requests("LeaseRevoke") + this.server.requests("Watch")
				+ this.server.requests("LeaseKeepAlive");
	}

	@Test
	void waiterIsWokenByTheRelease() {
		for (int i = 0; i < 10; i++) {
			LockLease held = this.here.template.acquire(request());
			AtomicInteger signals = new AtomicInteger();
			ReleaseSignals.Subscription subscription = this.there.backend.subscribe(EtcdProcess.NAME,
					signals::incrementAndGet);
			// The first says that the watch has begun
			await().until(() -> signals.get() == 1);
			CompletableFuture<Void> waiting = waiter(this.there);
			held.close();
			await().until(() -> signals.get() >= 2);
			waiting.join();
			subscription.close();
		}
	}

	@Test
	void waiterOfACrashedHolderIsWokenByTheEndOfItsLease() {
		this.here.backend.tryAcquire(EtcdProcess.attempt(LockMode.CORRECTNESS, Duration.ofSeconds(1)));
		long start = System.nanoTime();
		waiter(this.there).join();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
	}

	@Test
	void waiterThatGivesUpDoesSoInTimeAndLeavesNothing() {
		LockLease held = this.here.template.acquire(request());
		LockRequest impatient = request().withWaitTime(Duration.ofSeconds(2));
		long start = System.nanoTime();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.there.template.acquire(impatient));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(4));
		await().until(() -> this.server.leases() == 1);
		held.close();
		await().until(() -> this.server.leases() == 0);
		this.here.template.execute(request().withWaitTime(Duration.ZERO), (lease) -> null);
	}

	@Test
	void waiterReadsInsteadOfWriting() {
		LockLease held = this.here.template.acquire(request());
		CompletableFuture<Void> waiting = waiter(this.there);
		await().until(() -> this.server.requests("Range") >= 1);
		long grants = this.server.requests("LeaseGrant");
		await().until(() -> this.server.requests("Range") >= 4);
		assertThat(this.server.requests("LeaseGrant")).isEqualTo(grants);
		held.close();
		waiting.join();
	}

	@Test
	void waiterSurvivesCompactionAndBrokenConnections() {
		LockLease held = this.here.template.acquire(request());
		AtomicInteger signals = new AtomicInteger();
		ReleaseSignals.Subscription subscription = this.there.backend.subscribe(EtcdProcess.NAME,
				signals::incrementAndGet);
		CompletableFuture<Void> waiting = waiter(this.there);
		for (int i = 0; i < 5; i++) {
			int before = signals.get();
			this.proxy.cutAll();
			for (int k = 0; k < 10; k++) {
				this.here.template.execute(LockRequest.of("other"), (lease) -> null);
			}
			KV store = this.here.client.getKVClient();
			ByteSequence key = ByteSequence.from("any", StandardCharsets.UTF_8);
			store.compact(store.get(key).join().getHeader().getRevision()).join();
			// The watch has begun again
			await().until(() -> signals.get() > before);
		}
		int before = signals.get();
		assertThat(waiting).isNotDone();
		held.close();
		waiting.join();
		await().until(() -> signals.get() > before);
		subscription.close();
	}

	@Test
	void interruptedWaitersLeaveNothing() throws Exception {
		LockLease held = this.here.template.acquire(request());
		for (int i = 0; i < 50; i++) {
			Thread waiter = new Thread(() -> {
				try {
					this.there.template.acquire(request());
				}
				catch (LockNotAcquiredException ex) {
					assertThat(Thread.currentThread().isInterrupted()).isTrue();
				}
			});
			waiter.start();
			Thread.sleep(i % 10);
			waiter.interrupt();
			waiter.join();
		}
		held.close();
		await().until(() -> this.server.leases() == 0);
		assertThat(this.here.exists()).isFalse();
	}

	private static CompletableFuture<Void> waiter(EtcdProcess process) {
		CompletableFuture<Void> end = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				process.template.execute(request(), (lease) -> null);
				end.complete(null);
			}
			catch (Throwable ex) {
				end.completeExceptionally(ex);
			}
		});
		thread.start();
		return end;
	}

	private static LockRequest request() {
		return LockRequest.of("k").withTtl(Duration.ofSeconds(60)).withWaitTime(Duration.ofSeconds(60));
	}

}
