package org.lockspring.etcd;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.etcd.jetcd.KeyValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.Assumption;
import org.lockspring.Assumption.Finding;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.TokenCounter;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * One server: what becomes of requests and replies on their way, and of a server that is
 * away.
 */
@UsesServer("etcd")
@EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")
class EtcdFaultTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final EtcdServer server = EtcdServer.start();

	private final FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port());

	private final EtcdProcess process = new EtcdProcess(Duration.ofSeconds(2), "http://127.0.0.1:" + this.proxy.port());

	private final EtcdProcess direct = new EtcdProcess(Duration.ofSeconds(10), this.server.endpoint());

	/** Connecting may take longer than the time-out on a busy machine. */
	@BeforeEach
	void connect() {
		for (EtcdProcess each : new EtcdProcess[] { this.process, this.direct }) {
			await().ignoreExceptions()
				.until(() -> each.granted(EtcdProcess.attempt(LockMode.CORRECTNESS, LONG))
					.release()
					.toCompletableFuture()
					.isDone());
		}
	}

	@AfterEach
	void close() {
		this.process.close();
		this.direct.close();
		this.proxy.close();
		this.server.close();
	}

	/** The server closes a connection after the third ping of that kind, with a WARN. */
	@Test
	void idleConnectionIsNotPinged() {
		assertThat(EtcdLockBackend.clientBuilder(Duration.ofSeconds(2)).keepaliveWithoutCalls()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void lostReplyIsUnavailableAndTheUnknownGrantIsGivenBack(LockMode mode) {
		this.process.lostReplies.lose("Txn", 1);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.process.backend.tryAcquire(EtcdProcess.attempt(mode, LONG)))
			.withMessageContainingAll("'k'", "127.0.0.1:" + this.proxy.port(), "reply lost")
			.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
		await().until(() -> !this.direct.exists());
	}

	@Test
	void lostReplyIsRetriedWithinTheWaitTimeAndGrantedOnce() {
		this.process.lostReplies.lose("Txn", 2);
		LockRequest request = LockRequest.of("k")
			.withMode(LockMode.CORRECTNESS)
			.withTtl(LONG)
			.withWaitTime(Duration.ofSeconds(20));
		this.process.template.execute(request, (lease) -> {
			KeyValue entry = this.direct.entry();
			assertThat(entry.getCreateRevision()).isEqualTo(lease.fencingToken().value());
			assertThat(entry.getValue().toString()).isEqualTo(lease.fencingToken().owner());
			return null;
		});
		assertThat(this.process.lostReplies.left()).isZero();
	}

	@Test
	void requestThatArrivesLateLeavesNothingBehind() throws Exception {
		this.proxy.onlyRequestsWith(EtcdProcess.NAME).holdRequests();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.process.backend.tryAcquire(EtcdProcess.attempt(LockMode.CORRECTNESS, LONG)));
		assertThat(this.direct.exists()).isFalse();
		this.proxy.releaseRequests();
		this.direct.granted(EtcdProcess.attempt(LockMode.CORRECTNESS, LONG)).release();
		await().during(Duration.ofSeconds(1)).until(() -> !this.direct.exists());
	}

	@Test
	void putThatArrivesAfterItsLeaseHasEndedIsRefused() throws Exception {
		try (EtcdProcess patient = new EtcdProcess(Duration.ofSeconds(30), "http://127.0.0.1:" + this.proxy.port())) {
			patient.entry();
			LockAttempt attempt = EtcdProcess.attempt(LockMode.CORRECTNESS, Duration.ofSeconds(1));
			this.proxy.onlyRequestsWith(attempt.owner()).holdRequests();
			CompletableFuture<Acquisition> answer = CompletableFuture
				.supplyAsync(() -> patient.backend.tryAcquire(attempt));
			await().until(() -> this.proxy.held() == 1);
			await().atMost(Duration.ofSeconds(20)).until(() -> this.server.leases() == 0);
			this.proxy.releaseRequests();
			assertThat(answer).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.havingRootCause()
				.withMessageContaining("lease not found");
			assertThat(this.direct.exists()).isFalse();
		}
	}

	@Test
	void networkThatSwallowsEverythingIsUnavailableAndHeals() {
		this.proxy.blackhole();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.process.template.acquire(LockRequest.of("k")));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
		this.proxy.heal();
		LockRequest request = LockRequest.of("k").withWaitTime(Duration.ofSeconds(20));
		assertThat(this.process.template.<Boolean, RuntimeException>execute(request, (lease) -> lease.isValid()))
			.isTrue();
	}

	@Test
	void lostReplyOfAReleaseEndsTheLockAllTheSameAndNeverTheNextOne() throws Exception {
		EtcdLease first = this.process.granted(EtcdProcess.attempt(LockMode.CORRECTNESS, LONG));
		this.process.lostReplies.lose("Txn", 1);
		assertThat(first.release()).failsWithin(Duration.ofSeconds(5));
		EtcdLease second = this.direct.granted(EtcdProcess.attempt(LockMode.CORRECTNESS, LONG));
		assertThat(first.release()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(Ownership.TAKEN);
		assertThat(second.renew(LONG)).isEqualTo(Ownership.HELD);
	}

	@Test
	void releaseThatDidNotArriveIsMadeUpForWhenTheNetworkHeals() {
		EtcdLease lease = this.process.granted(EtcdProcess.attempt(LockMode.CORRECTNESS, LONG));
		this.proxy.blackhole();
		assertThat(lease.release()).failsWithin(Duration.ofSeconds(10));
		this.proxy.heal();
		await().atMost(Duration.ofSeconds(20)).until(() -> !this.direct.exists());
	}

	@Test
	void lostReplyOfAChangeOfTheTtlNeverLetsTheLeaseBelieveTooLong() {
		EtcdLease lease = this.process.granted(EtcdProcess.attempt(LockMode.CORRECTNESS, LONG));
		Duration shorter = Duration.ofSeconds(4);
		this.process.lostReplies.lose("Txn", 1);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> lease.renew(shorter));
		assertThat(lease.validUntil() - System.nanoTime()).isLessThan(shorter.toNanos());
		assertThat(lease.renew(LONG)).isEqualTo(Ownership.HELD);
		long end = System.nanoTime() + shorter.plusSeconds(3).toNanos();
		await().until(() -> System.nanoTime() - end > 0);
		assertThat(lease.renew(LONG)).isEqualTo(Ownership.HELD);
	}

	@Test
	void stoppedServerIsUnavailableAndNothingIsLeftWhenItGoesOn() {
		this.server.pause();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.process.template.acquire(LockRequest.of("k").withWaitTime(Duration.ofSeconds(5))));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(9));
		this.server.resume();
		await().ignoreExceptions().until(() -> !this.direct.exists());
		this.process.template.execute(LockRequest.of("k").withWaitTime(Duration.ofSeconds(10)), (lease) -> null);
	}

	@Test
	void killedServerKeepsLocksAndTokensOverItsRestart() {
		EtcdLease lease = this.process.granted(EtcdProcess.attempt(LockMode.CORRECTNESS, LONG));
		this.server.kill();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> lease.renew(LONG));
		this.server.restart();
		this.server.awaitHealth();
		await().ignoreExceptions().untilAsserted(() -> assertThat(lease.renew(LONG)).isEqualTo(Ownership.HELD));
		LockAttempt next = EtcdProcess.attempt(LockMode.CORRECTNESS, LONG);
		await().ignoreExceptions()
			.untilAsserted(() -> assertThat(this.direct.backend.tryAcquire(next)).isInstanceOf(Acquisition.Busy.class));
		lease.release();
		assertThat(this.direct.granted(next).fencingToken().isNewerThan(lease.fencingToken())).isTrue();
	}

	@Test
	void serverThatForgotEverythingGivesNoTokenASecondTime() throws IOException {
		this.process.granted(EtcdProcess.attempt(LockMode.CORRECTNESS, LONG));
		this.server.restartEmpty();
		await()
			.ignoreExceptionsMatching(
					(ex) -> ex instanceof LockUnavailableException unavailable && unavailable.isRetryable())
			.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.process.backend.tryAcquire(EtcdProcess.attempt(LockMode.CORRECTNESS, LONG)))
				.withMessageContainingAll("gone back in time", "'k'")
				.satisfies((ex) -> assertThat(ex.isRetryable()).isFalse()));
		assertThat(this.process.backend.assumptions(LockMode.CORRECTNESS)).extracting(Assumption::finding)
			.contains(Finding.VIOLATED);
		await().until(() -> !this.direct.exists());
		this.process.granted(EtcdProcess.attempt(LockMode.EFFICIENCY, LONG));
	}

	@Test
	void longBodyKeepsItsLockWhileItsConnectionsAreCut() {
		Duration ttl = Duration.ofSeconds(4);
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS).withTtl(ttl);
		long start = System.nanoTime();
		this.process.template.execute(request, (lease) -> {
			while (System.nanoTime() - start < ttl.multipliedBy(2).toNanos()) {
				this.proxy.cutAll();
				long renewals = this.server.requests("LeaseKeepAlive");
				await().until(() -> this.server.requests("LeaseKeepAlive") > renewals);
				assertThat(this.direct.backend.tryAcquire(EtcdProcess.attempt(LockMode.EFFICIENCY, LONG)))
					.isInstanceOf(Acquisition.Busy.class);
				assertThat(lease.isValid()).isTrue();
			}
			return null;
		});
		assertThat(this.direct.exists()).isFalse();
	}

	@Test
	void connectionsThatBreakAllTheTimeLoseNoUpdate() throws Exception {
		Thread cutter = new Thread(() -> {
			while (!Thread.currentThread().isInterrupted()) {
				this.proxy.cutAll();
				try {
					Thread.sleep(50);
				}
				catch (InterruptedException ex) {
					return;
				}
			}
		});
		cutter.start();
		try {
			TokenCounter counter = new TokenCounter();
			counter.raise(List.of(this.process.template, this.direct.template), 40, LONG);
			counter.verify(80);
		}
		finally {
			cutter.interrupt();
			cutter.join();
		}
	}

}
