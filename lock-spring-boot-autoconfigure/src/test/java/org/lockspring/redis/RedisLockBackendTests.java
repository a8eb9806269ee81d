package org.lockspring.redis;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** What the backend writes, and what it costs. */
@UsesServer("redis")
class RedisLockBackendTests {

	private static final String NAME = "app:{order:1}";

	private static RedisServer server;

	private static LettuceConnectionFactory connections;

	private RedisLockBackend backend;

	@BeforeAll
	static void connect() {
		server = RedisServer.start();
		connections = Connections.lettuce(server);
	}

	@AfterAll
	static void disconnect() {
		connections.destroy();
		server.close();
	}

	@BeforeEach
	void open() {
		server.flush();
		server.command("SCRIPT", "FLUSH");
		this.backend = new RedisLockBackend(connections, Duration.ofDays(7), server.toString());
	}

	@AfterEach
	void close() {
		this.backend.close();
	}

	@Test
	void efficiencySetsOneEntryWithTtlAndNothingElse() {
		LockAttempt attempt = attempt(LockMode.EFFICIENCY, Duration.ofSeconds(7));
		BackendLease lease = granted(attempt);
		assertThat(lease.fencingToken()).isNull();
		assertThat(server.command("GET", NAME)).isEqualTo(attempt.owner());
		assertThat((Long) server.command("PTTL", NAME)).isBetween(6000L, 7000L);
		assertThat(server.command("DBSIZE")).isEqualTo(1L);
		assertThat(lease.release()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(Ownership.HELD);
		assertThat(server.command("DBSIZE")).isEqualTo(0L);
	}

	@Test
	void correctnessSetsEntryAndCounterToTheTokenInDecimalDigits() {
		LockAttempt attempt = attempt(LockMode.CORRECTNESS, Duration.ofSeconds(7));
		long token = granted(attempt).fencingToken().value();
		assertThat(server.command("GET", NAME)).isEqualTo(attempt.owner() + ":" + token);
		assertThat(server.command("GET", NAME + ":fence")).isEqualTo(Long.toString(token));
		assertThat((Long) server.command("PTTL", NAME)).isBetween(6000L, 7000L);
		assertThat((Long) server.command("TTL", NAME + ":fence")).isBetween(604_790L, 604_800L);
	}

	@ParameterizedTest
	@EnumSource
	void followsTheFactoryToAnotherConnection(LockMode mode) {
		release(mode);
		connections.resetConnection();
		release(mode);
		connections.stop();
		connections.start();
		release(mode);
	}

	@Test
	void tokensRiseByOneWhenTheServersClockIsBehindTheCounter() {
		String ahead = "4000000000000000";
		server.command("SET", NAME + ":fence", ahead);
		assertThat(release(LockMode.CORRECTNESS)).isEqualTo(4_000_000_000_000_001L);
		assertThat(release(LockMode.CORRECTNESS)).isEqualTo(4_000_000_000_000_002L);
	}

	@Test
	void tokensRiseWhenTheCounterWasForgotten() {
		long before = release(LockMode.CORRECTNESS);
		server.command("DEL", NAME + ":fence");
		assertThat(release(LockMode.CORRECTNESS)).isGreaterThan(before);
	}

	@Test
	void uncontendedPairIsOneCommandEach() {
		release(LockMode.EFFICIENCY);
		release(LockMode.CORRECTNESS);
		server.command("CONFIG", "RESETSTAT");
		release(LockMode.EFFICIENCY);
		assertThat(calls("set")).isEqualTo(1);
		assertThat(calls("evalsha")).isEqualTo(1);
		assertThat(calls("eval")).isZero();
		server.command("CONFIG", "RESETSTAT");
		release(LockMode.CORRECTNESS);
		assertThat(calls("evalsha")).isEqualTo(2);
		assertThat(calls("eval")).isZero();
		assertThat(calls("subscribe") + calls("ssubscribe") + calls("wait")).isZero();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void busyTellsWhenTheHoldersEntryEnds(LockMode mode) {
		granted(attempt(LockMode.CORRECTNESS, Duration.ofSeconds(9)));
		Acquisition second = this.backend.tryAcquire(attempt(mode, Duration.ofSeconds(1)));
		assertThat(((Acquisition.Busy) second).retryAfter()).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(9));
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void busyWithoutEndIsTold(LockMode mode) {
		server.command("SET", NAME, "put here by hand");
		Acquisition second = this.backend.tryAcquire(attempt(mode, Duration.ofSeconds(1)));
		assertThat(((Acquisition.Busy) second).retryAfter()).isNull();
		assertThat(server.command("PTTL", NAME)).isEqualTo(-1L);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void scriptCacheMayBeLostAtAnyTime(LockMode mode) {
		server.command("SCRIPT", "FLUSH");
		BackendLease lease = granted(attempt(mode, Duration.ofSeconds(5)));
		server.command("SCRIPT", "FLUSH");
		assertThat(lease.renew(Duration.ofSeconds(9))).isEqualTo(Ownership.HELD);
		server.command("SCRIPT", "FLUSH");
		assertThat(lease.release()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(Ownership.HELD);
	}

	@Test
	void ownerIsNotRecognisedByAPrefixOfItsName() {
		granted(new LockAttempt(NAME, "owner-10", LockMode.CORRECTNESS, Duration.ofSeconds(5), "'order:1'"));
		Acquisition other = this.backend
			.tryAcquire(new LockAttempt(NAME, "owner-1", LockMode.CORRECTNESS, Duration.ofSeconds(5), "'order:1'"));
		assertThat(other).isInstanceOf(Acquisition.Busy.class);
	}

	@Test
	void allEntriesOfOneLockHaveOneHashTag() {
		release(LockMode.CORRECTNESS);
		assertThat((List<?>) server.command("KEYS", "*")).singleElement().isEqualTo(NAME + ":fence");
	}

	private long release(LockMode mode) {
		BackendLease lease = granted(attempt(mode, Duration.ofSeconds(5)));
		assertThat(lease.release()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(Ownership.HELD);
		return (lease.fencingToken() != null) ? lease.fencingToken().value() : 0;
	}

	private BackendLease granted(LockAttempt attempt) {
		return ((Acquisition.Granted) this.backend.tryAcquire(attempt)).lease();
	}

	private static LockAttempt attempt(LockMode mode, Duration ttl) {
		return new LockAttempt(NAME, UUID.randomUUID().toString(), mode, ttl, "'order:1'");
	}

	/** Calls from outside: a call inside a script is counted too, but not as evalsha. */
	private static long calls(String command) {
		String stat = server.info("cmdstat_" + command);
		return stat.isEmpty() ? 0 : Long.parseLong(stat.substring("calls=".length(), stat.indexOf(',')));
	}

}
