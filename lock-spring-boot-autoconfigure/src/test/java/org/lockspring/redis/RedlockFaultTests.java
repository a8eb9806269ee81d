package org.lockspring.redis;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.testing.RedisServers;
import org.lockspring.testing.UsesServer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Redlock while its servers, and the way to them, fail.
 */
@UsesServer("redis")
@ExtendWith(OutputCaptureExtension.class)
class RedlockFaultTests {

	private static final String NAME = "app:{k}";

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);

	/** Each counter begins at its server's clock in microseconds: an hour is more. */
	private static final String AHEAD = "3600000000";

	private RedisServers servers;

	private RedlockBackend backend;

	@BeforeEach
	void start() {
		this.servers = RedisServers.start(3);
		RedlockSettings settings = Redlocks.settings(this.servers.proxyUris(), true);
		this.backend = new RedlockBackend(Redlocks.withNodeTimeout(settings, NODE_TIMEOUT), null);
		await().ignoreExceptions().untilAsserted(() -> {
			BackendLease lease = acquire(LockMode.CORRECTNESS);
			assertThat(lease.release()).succeedsWithin(NODE_TIMEOUT.multipliedBy(2)).isEqualTo(Ownership.HELD);
		});
		await().until(() -> this.servers.keys("app:*").isEmpty());
	}

	@AfterEach
	void stop() {
		this.backend.close();
		this.servers.close();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void stoppedServerDoesNotSlowAndIsReleasedWhenItGoesOn(LockMode mode) {
		this.servers.server(0).pause();
		long begin = System.nanoTime();
		BackendLease lease = acquire(mode);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(NODE_TIMEOUT);
		assertThat(lease.renew(TTL)).isEqualTo(Ownership.HELD);
		assertThat(lease.release()).succeedsWithin(NODE_TIMEOUT).isEqualTo(Ownership.HELD);
		this.servers.server(0).resume();
		await().untilAsserted(() -> assertThat(this.servers.keys("app:*")).isEmpty());
	}

	@Test
	void killedServerIsDoneWithoutAndWarnedOfOnce(CapturedOutput output) {
		this.servers.server(0).kill();
		for (int i = 0; i < 5; i++) {
			assertThat(acquire(LockMode.CORRECTNESS).release()).succeedsWithin(NODE_TIMEOUT.multipliedBy(2))
				.isEqualTo(Ownership.HELD);
		}
		await().untilAsserted(
				() -> assertThat(output.getOut().split("if one more fails, no lock is granted", -1)).hasSize(2));
	}

	@Test
	void twoServersDownAreUnavailableWithEachReason() {
		this.servers.server(0).kill();
		this.servers.server(1).pause();
		try {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.backend.tryAcquire(attempt(LockMode.CORRECTNESS)))
				.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue())
				.withMessageContaining("1 of 3 Redlock servers agreed and 2 are needed")
				.withMessageContaining(address(0))
				.withMessageContaining(address(1) + ": no answer in time");
			// What one server granted was given back
			await().untilAsserted(() -> assertThat(this.servers.server(2).command("GET", NAME)).isNull());
		}
		finally {
			this.servers.server(1).resume();
		}
		await().untilAsserted(() -> assertThat(this.servers.server(1).command("GET", NAME)).isNull());
	}

	@Test
	void foreignEntryOnOneServerDoesNotMatter() {
		this.servers.server(0).command("SET", NAME, "foreign:1");
		assertThat(acquire(LockMode.CORRECTNESS).release()).succeedsWithin(NODE_TIMEOUT.multipliedBy(2))
			.isEqualTo(Ownership.HELD);
		assertThat(this.servers.server(0).command("GET", NAME)).isEqualTo("foreign:1");
	}

	@Test
	void foreignEntriesOnAQuorumAreBusyUntilTheyEnd() {
		this.servers.server(0).command("SET", NAME, "foreign:1", "PX", "60000");
		this.servers.server(1).command("SET", NAME, "foreign:1", "PX", "20000");
		Acquisition.Busy busy = (Acquisition.Busy) this.backend.tryAcquire(attempt(LockMode.EFFICIENCY));
		assertThat(busy.retryAfter()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(60));
		await().untilAsserted(() -> assertThat(this.servers.server(2).command("GET", NAME)).isNull());
	}

	@Test
	void serverThatRestartsEmptyGrantsNothing() {
		BackendLease lease = acquire(LockMode.CORRECTNESS);
		await().untilAsserted(() -> assertThat(this.servers.keys("app:*")).hasSize(3));
		this.servers.server(0).restart();
		this.servers.server(1).restart();
		await().ignoreExceptions()
			.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.backend.tryAcquire(attempt(LockMode.CORRECTNESS)))
				.withMessageContaining(address(0) + ": QUARANTINE ends in")
				.withMessageContaining(address(1) + ": QUARANTINE ends in"));
		assertThat(this.servers.keys("app:*")).as("the entry of the holder").hasSize(1);
		assertThat(lease.renew(TTL)).isEqualTo(Ownership.EXPIRED);
	}

	@Test
	void lostReplyOfOneServerLeavesNothing() {
		this.servers.proxy(0).onlyRequestsWith(RedlockScript.ACQUIRE.sha()).swallowReplies(1);
		BackendLease lease = acquire(LockMode.CORRECTNESS);
		assertThat(lease.release()).succeedsWithin(NODE_TIMEOUT.multipliedBy(2)).isEqualTo(Ownership.HELD);
		await().untilAsserted(() -> assertThat(this.servers.keys("app:*")).isEmpty());
	}

	@Test
	void serverThatAnswersWithAnErrorDoesNotVote() {
		this.servers.server(0).command("CONFIG", "SET", "maxmemory", "1");
		assertThat(acquire(LockMode.CORRECTNESS).release()).succeedsWithin(NODE_TIMEOUT.multipliedBy(2))
			.isEqualTo(Ownership.HELD);
		this.servers.server(1).command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.backend.tryAcquire(attempt(LockMode.CORRECTNESS)))
			.withMessageContaining("OOM");
	}

	@Test
	void repliesThatComeTooLateAreNoGrant() {
		for (int i = 0; i < 3; i++) {
			this.servers.proxy(i)
				.onlyRequestsWith(RedlockScript.ACQUIRE.sha())
				.delayReplies(NODE_TIMEOUT.multipliedBy(2));
		}
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.backend.tryAcquire(attempt(LockMode.CORRECTNESS)))
			.withMessageContaining("0 of 3");
		await().untilAsserted(() -> assertThat(this.servers.keys("app:*")).isEmpty());
	}

	@Test
	void requestThatArrivesLaterThanItsReleaseWasSentIsReleasedToo() {
		this.servers.proxy(0).holdRequests();
		this.servers.proxy(1).holdRequests();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.backend.tryAcquire(attempt(LockMode.CORRECTNESS)));
		this.servers.proxy(0).releaseRequests();
		this.servers.proxy(1).releaseRequests();
		await().untilAsserted(() -> assertThat(this.servers.keys("app:*")).isEmpty());
		acquire(LockMode.CORRECTNESS);
	}

	@Test
	void connectionsThatWereCutAreOpenedAgainAtOnce() {
		for (int i = 0; i < 3; i++) {
			this.servers.proxy(i).cutAll();
		}
		await().until(() -> this.servers.proxy(0).connections() == 0);
		await().ignoreExceptions().untilAsserted(() -> acquire(LockMode.CORRECTNESS));
	}

	@Test
	void serverBehindABlackHoleTakesPartAgainAfterwards() {
		this.servers.proxy(0).blackhole();
		// Its connection is given up meanwhile
		await().ignoreExceptions().during(NODE_TIMEOUT.multipliedBy(3)).until(() -> {
			this.backend.tryAcquire(attempt(LockMode.EFFICIENCY));
			return true;
		});
		this.servers.proxy(0).heal();
		this.servers.server(1).kill();
		await().ignoreExceptions().untilAsserted(() -> {
			// What was sent into the black hole has arrived, its release perhaps not
			this.servers.server(0).command("DEL", NAME);
			this.servers.server(2).command("DEL", NAME);
			acquire(LockMode.CORRECTNESS);
		});
	}

	@Test
	void leaseIsLostWhenAQuorumForgets() {
		BackendLease lease = acquire(LockMode.CORRECTNESS);
		await().untilAsserted(() -> assertThat(this.servers.keys("app:*")).hasSize(3));
		this.servers.server(0).command("DEL", NAME);
		this.servers.server(1).command("DEL", NAME);
		assertThat(lease.renew(TTL)).isEqualTo(Ownership.EXPIRED);
		assertThat(lease.release()).succeedsWithin(NODE_TIMEOUT.multipliedBy(2)).isEqualTo(Ownership.EXPIRED);
	}

	@Test
	void leaseIsLostWhenAnotherHasAQuorum() {
		BackendLease lease = acquire(LockMode.CORRECTNESS);
		await().untilAsserted(() -> assertThat(this.servers.keys("app:*")).hasSize(3));
		this.servers.server(0).command("SET", NAME, "other:5");
		this.servers.server(1).command("SET", NAME, "other:5");
		assertThat(lease.renew(TTL)).isEqualTo(Ownership.TAKEN);
		assertThat(lease.release()).succeedsWithin(NODE_TIMEOUT.multipliedBy(2)).isEqualTo(Ownership.TAKEN);
		assertThat(this.servers.server(1).command("GET", NAME)).isEqualTo("other:5");
	}

	@Test
	void renewalThatNobodyAnswersIsUnavailableNotLost() {
		BackendLease lease = acquire(LockMode.CORRECTNESS);
		for (int i = 0; i < 3; i++) {
			this.servers.proxy(i).blackhole();
		}
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> lease.renew(TTL))
			.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
		for (int i = 0; i < 3; i++) {
			this.servers.proxy(i).heal();
		}
		await().ignoreExceptions().untilAsserted(() -> assertThat(lease.renew(TTL)).isEqualTo(Ownership.HELD));
	}

	@Test
	void scriptsAreLoadedAgain() {
		BackendLease lease = acquire(LockMode.CORRECTNESS);
		this.servers.servers().forEach((server) -> server.command("SCRIPT", "FLUSH"));
		assertThat(lease.renew(TTL)).isEqualTo(Ownership.HELD);
		assertThat(lease.release()).succeedsWithin(NODE_TIMEOUT.multipliedBy(2)).isEqualTo(Ownership.HELD);
		acquire(LockMode.CORRECTNESS);
	}

	@Test
	void tokensRiseAlthoughServersCountApart() {
		this.servers.server(0).command("HINCRBY", "test:redlock", "counter", AHEAD);
		this.servers.proxy(2).blackhole();
		long first = tokenOfAnAcquisition();
		this.servers.proxy(2).heal();
		this.servers.proxy(0).blackhole();
		assertThat(tokenOfAnAcquisition()).isGreaterThan(first);
	}

	@Test
	void tokenIsLargerThanThoseOfARepeatedRequestWhichGotAnotherQuorum() {
		this.servers.server(0).command("HINCRBY", "test:redlock", "counter", AHEAD);
		LockAttempt attempt = attempt(LockMode.CORRECTNESS);
		this.servers.proxy(2).blackhole();
		long first = granted(attempt).fencingToken().value();
		this.servers.proxy(2).heal();
		this.servers.proxy(0).blackhole();
		BackendLease again = await().ignoreExceptions().until(() -> granted(attempt), Objects::nonNull);
		assertThat(again.fencingToken().value()).isNotEqualTo(first);
		await().ignoreExceptions().untilAsserted(() -> assertThat(again.release()).succeedsWithin(NODE_TIMEOUT));
		assertThat(tokenOfAnAcquisition()).isGreaterThan(first).isGreaterThan(again.fencingToken().value());
	}

	@Test
	void serverThatGotAnotherEntryBetweenTheRoundsDoesNotCount() {
		this.servers.server(0).command("HINCRBY", "test:redlock", "counter", AHEAD);
		this.servers.proxy(2).blackhole();
		this.servers.proxy(1).onlyRequestsWith(RedlockScript.RAISE.sha()).holdRequests();
		CompletableFuture<Acquisition> acquisition = CompletableFuture
			.supplyAsync(() -> this.backend.tryAcquire(attempt(LockMode.CORRECTNESS)));
		await().until(() -> this.servers.proxy(1).held() > 0);
		this.servers.server(1).command("SET", NAME, "other:1");
		this.servers.proxy(1).releaseRequests();
		assertThat(acquisition.handle((result, ex) -> result instanceof Acquisition.Granted))
			.succeedsWithin(Duration.ofSeconds(10))
			.isEqualTo(false);
		assertThat(this.servers.server(1).command("GET", NAME)).isEqualTo("other:1");
	}

	private long tokenOfAnAcquisition() {
		return await().ignoreExceptions().until(() -> {
			BackendLease lease = acquire(LockMode.CORRECTNESS);
			assertThat(lease.release()).succeedsWithin(NODE_TIMEOUT);
			return lease.fencingToken().value();
		}, (token) -> token > 0);
	}

	private String address(int index) {
		return this.servers.proxyUris().get(index).substring("redis://".length());
	}

	private BackendLease acquire(LockMode mode) {
		return granted(attempt(mode));
	}

	private BackendLease granted(LockAttempt attempt) {
		Acquisition acquisition = this.backend.tryAcquire(attempt);
		assertThat(acquisition).isInstanceOf(Acquisition.Granted.class);
		return ((Acquisition.Granted) acquisition).lease();
	}

	private static LockAttempt attempt(LockMode mode) {
		return new LockAttempt(NAME, UUID.randomUUID().toString(), mode, TTL, "'k'");
	}

}
