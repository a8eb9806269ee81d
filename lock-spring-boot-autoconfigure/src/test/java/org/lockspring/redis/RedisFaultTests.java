package org.lockspring.redis;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.BatchRenewal.Outcome;
import org.lockspring.BatchRenewal.Renewal;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** What becomes of requests and replies on their way. */
@UsesServer("redis")
class RedisFaultTests {

	private static final String NAME = "app:{k}";

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private RedisServer server;

	private FaultProxy proxy;

	private LettuceConnectionFactory connections;

	private RedisLockBackend backend;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
		this.proxy = FaultProxy.to(this.server);
		this.connections = Connections.lettuce(this.proxy.port(), TIMEOUT);
		this.backend = new RedisLockBackend(this.connections, Duration.ofDays(7), this.server.toString());
		// Scripts are cached and the connection is open before the fault; connecting may
		// take longer than the time-out on a busy machine
		await().ignoreExceptions().untilAsserted(() -> {
			for (LockMode mode : LockMode.values()) {
				assertThat(granted(attempt(mode)).release()).succeedsWithin(TIMEOUT).isEqualTo(Ownership.HELD);
			}
		});
		this.server.flush();
		this.server.command("CONFIG", "RESETSTAT");
	}

	@AfterEach
	void stop() {
		this.backend.close();
		this.connections.destroy();
		this.proxy.close();
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void lostReplyIsUnavailableAndTheUnknownGrantIsGivenBack(LockMode mode) {
		onlyAcquisitions(mode).swallowReplies(1);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.backend.tryAcquire(attempt(mode)))
			.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
		assertThat(this.proxy.swallowed()).isEqualTo(1);
		await().until(() -> !exists());
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void lostReplyIsRetriedWithinTheWaitTime(LockMode mode) {
		LockTemplate template = new LockTemplate(this.backend, new LockSettings("app"));
		onlyAcquisitions(mode).swallowReplies(1);
		String result = template.execute(LockRequest.of("k").withMode(mode).withWaitTime(Duration.ofSeconds(10)),
				(lease) -> {
					assertThat((String) this.server.command("GET", NAME)).isNotNull();
					return "done";
				});
		assertThat(result).isEqualTo("done");
		assertThat(this.proxy.swallowed()).isEqualTo(1);
		await().until(() -> !exists());
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void commandThatTheClientRepeatsAfterAReconnectIsGrantedOnceWithOneToken(LockMode mode) {
		LockAttempt attempt = attempt(mode);
		onlyAcquisitions(mode).cutAfterRequest();
		BackendLease lease = granted(attempt);
		assertThat(this.proxy.cut()).isEqualTo(1);
		assertThat(this.server.command("GET", NAME))
			.isEqualTo((lease.fencingToken() != null) ? attempt.owner() + ":" + lease.fencingToken() : attempt.owner());
		if (lease.fencingToken() != null) {
			assertThat(this.server.command("GET", NAME + ":fence")).isEqualTo(lease.fencingToken().toString());
		}
		assertThat(lease.release()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(Ownership.HELD);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void lateRequestLeavesNothingBehind(LockMode mode) {
		this.proxy.holdRequests();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.backend.tryAcquire(attempt(mode)));
		assertThat(exists()).isFalse();
		this.proxy.releaseRequests();
		// The clean-up follows on the same connection, behind the request itself
		await().until(() -> this.server.info("cmdstat_eval").contains("calls=") && !exists());
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void lostReplyOfAReleaseNeverEndsTheNextLock(LockMode mode) {
		BackendLease first = granted(attempt(mode));
		this.proxy.swallowReplies(1);
		assertThat(first.release()).failsWithin(Duration.ofSeconds(5));
		BackendLease second = granted(attempt(mode));
		assertThat(first.release()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(Ownership.TAKEN);
		assertThat(second.renew(Duration.ofSeconds(5))).isEqualTo(Ownership.HELD);
	}

	@Test
	void stoppedServerIsUnavailableAndTheLockIsFreeWhenItGoesOn() {
		this.server.pause();
		LockTemplate template = new LockTemplate(this.backend, new LockSettings("app"));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> template.acquire(LockRequest.of("k").withMode(LockMode.CORRECTNESS)));
		this.server.resume();
		await().until(() -> !exists());
		template.execute(LockRequest.of("k"), (lease) -> null);
	}

	@Test
	void restartedEmptyServerStillGivesLargerTokens() {
		long before = granted(attempt(LockMode.CORRECTNESS)).fencingToken().value();
		this.server.restart();
		LockTemplate template = new LockTemplate(this.backend, new LockSettings("app"));
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS).withWaitTime(Duration.ofSeconds(20));
		long after = template.execute(request, (lease) -> lease.fencingToken().value());
		assertThat(after).isGreaterThan(before);
	}

	@Test
	void interruptDuringTheRequestLeavesNothingBehindAndKeepsTheFlag() throws InterruptedException {
		this.proxy.holdRequests();
		LockTemplate template = new LockTemplate(this.backend, new LockSettings("app"));
		boolean[] flag = new boolean[1];
		Throwable[] failure = new Throwable[1];
		Thread caller = new Thread(() -> {
			try {
				template.acquire(LockRequest.of("k").withWaitTime(Duration.ofSeconds(30)));
			}
			catch (LockNotAcquiredException | LockUnavailableException ex) {
				failure[0] = ex;
				flag[0] = Thread.currentThread().isInterrupted();
			}
		});
		caller.start();
		await().until(() -> this.proxy.held() >= 1);
		caller.interrupt();
		caller.join();
		assertThat(failure[0]).isNotNull();
		assertThat(flag[0]).isTrue();
		this.proxy.releaseRequests();
		await().until(() -> this.server.info("cmdstat_eval").contains("calls=") && !exists());
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void addressThatMovesToANewMasterIsFollowedWithoutARestart(LockMode mode) {
		try (RedisServer next = RedisServer.start()) {
			this.proxy.retarget(next.port());
			this.server.command("REPLICAOF", "127.0.0.1", String.valueOf(next.port()));
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.backend.tryAcquire(attempt(mode)))
				.withMessageContaining("READONLY")
				.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
			LockAttempt attempt = attempt(mode);
			await().atMost(Duration.ofSeconds(5))
				.ignoreExceptions()
				.until(() -> this.backend.tryAcquire(attempt) instanceof Acquisition.Granted);
			assertThat(next.command("EXISTS", NAME)).isEqualTo(1L);
		}
	}

	@Test
	void addressThatMovesToANewMasterIsFollowedByRenewalsAlone() {
		try (RedisServer next = RedisServer.start("replicaof 127.0.0.1 " + this.server.port())) {
			Renewal renewal = new Renewal(granted(attempt(LockMode.EFFICIENCY)), Duration.ofSeconds(60));
			await().until(() -> Long.valueOf(1).equals(next.command("EXISTS", NAME)));
			next.command("REPLICAOF", "NO", "ONE");
			this.proxy.retarget(next.port());
			this.server.command("REPLICAOF", "127.0.0.1", String.valueOf(next.port()));
			await().atMost(Duration.ofSeconds(5))
				.until(() -> this.backend.renew(List.of(renewal)).get(0),
						(outcome) -> outcome.equals(new Outcome.Answered(Ownership.HELD)));
		}
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void timeOfALateReplyIsNotValid(LockMode mode) {
		Duration late = TIMEOUT.dividedBy(2);
		this.proxy.delayReplies(late);
		// Short, so that the allowance for clocks that run apart is less than the delay
		Duration ttl = Duration.ofSeconds(5);
		BackendLease lease = granted(new LockAttempt(NAME, "owner", mode, ttl, "'k'"));
		assertThat(left(lease)).isLessThan(ttl.minus(late));
		assertThat(lease.renew(ttl.multipliedBy(2))).isEqualTo(Ownership.HELD);
		assertThat(left(lease)).isBetween(ttl, ttl.multipliedBy(2).minus(late));
	}

	private static Duration left(BackendLease lease) {
		return Duration.ofNanos(lease.validUntil() - System.nanoTime());
	}

	private FaultProxy onlyAcquisitions(LockMode mode) {
		return (mode == LockMode.EFFICIENCY) ? this.proxy.onlyRequestsWith("SET")
				: this.proxy.onlyRequestsWith(LockScript.ACQUIRE_FENCED.sha());
	}

	private boolean exists() {
		return Long.valueOf(1).equals(this.server.command("EXISTS", NAME));
	}

	private BackendLease granted(LockAttempt attempt) {
		return ((Acquisition.Granted) this.backend.tryAcquire(attempt)).lease();
	}

	private static LockAttempt attempt(LockMode mode) {
		return new LockAttempt(NAME, UUID.randomUUID().toString(), mode, Duration.ofSeconds(60), "'k'");
	}

}
