package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** An entry passes from one owner to the next. */
@UsesServer("redis")
class RedisHandOverTests {

	private static final String NAME = "app:{k}";

	private static final Duration TTL = Duration.ofSeconds(60);

	private final RedisServer server = RedisServer.start();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	private LettuceConnectionFactory connections;

	private RedisLockBackend backend;

	@BeforeEach
	void open() {
		this.connections = Connections.lettuce(this.proxy.port(), Duration.ofMillis(500));
		this.backend = new RedisLockBackend(this.connections, Duration.ofDays(7), this.server.toString());
	}

	@AfterEach
	void close() {
		this.backend.close();
		this.connections.destroy();
		this.proxy.close();
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void nextOwnerHasTheEntryWithAllOfItsTimeAndALargerToken(LockMode mode) {
		BackendLease first = granted(this.backend.tryAcquire(attempt(mode, Duration.ofSeconds(5))));
		BackendLease second = granted(handOver(first, attempt(mode, TTL)));
		assertThat((Long) this.server.command("PTTL", NAME)).isBetween(50_000L, 60_000L);
		if (mode == LockMode.CORRECTNESS) {
			assertThat(second.fencingToken().isNewerThan(first.fencingToken())).isTrue();
			assertThat(this.server.command("GET", NAME + ":fence")).isEqualTo(second.fencingToken().toString());
		}
		assertThat(first.renew(TTL)).isEqualTo(Ownership.TAKEN);
		assertThat(first.release()).succeedsWithin(TTL).isEqualTo(Ownership.TAKEN);
		assertThat(second.release()).succeedsWithin(TTL).isEqualTo(Ownership.HELD);
	}

	@ParameterizedTest
	@EnumSource
	void repeatedHandOverIsGrantedAgainWithTheSameToken(LockMode mode) {
		BackendLease first = granted(this.backend.tryAcquire(attempt(mode, TTL)));
		LockAttempt next = attempt(mode, TTL);
		BackendLease second = granted(handOver(first, next));
		assertThat(granted(handOver(first, next)).fencingToken()).isEqualTo(second.fencingToken());
	}

	@ParameterizedTest
	@EnumSource
	void entryThatEndedIsTakenAnew(LockMode mode) {
		BackendLease first = granted(this.backend.tryAcquire(attempt(mode, TTL)));
		this.server.command("DEL", NAME);
		BackendLease second = granted(handOver(first, attempt(mode, TTL)));
		assertThat(second.renew(TTL)).isEqualTo(Ownership.HELD);
	}

	@ParameterizedTest
	@EnumSource
	void entryOfAnotherIsNotTaken(LockMode mode) {
		BackendLease first = granted(this.backend.tryAcquire(attempt(mode, TTL)));
		this.server.command("DEL", NAME);
		BackendLease other = granted(this.backend.tryAcquire(attempt(mode, TTL)));
		assertThat(handOver(first, attempt(mode, TTL))).isInstanceOf(Acquisition.Busy.class);
		assertThat(other.renew(TTL)).isEqualTo(Ownership.HELD);
	}

	@ParameterizedTest
	@EnumSource
	void lostReplyIsGivenBack(LockMode mode) {
		BackendLease first = granted(this.backend.tryAcquire(attempt(mode, TTL)));
		granted(handOver(first, attempt(mode, TTL))).release().toCompletableFuture().join();
		BackendLease holder = granted(this.backend.tryAcquire(attempt(mode, TTL)));
		this.proxy.swallowReplies(1);
		assertThat(this.backend.handOver(holder, attempt(mode, TTL))).failsWithin(TTL)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockUnavailableException.class);
		await().until(() -> Long.valueOf(0).equals(this.server.command("EXISTS", NAME)));
	}

	@Test
	void tokensRiseThroughHandOversOfTwoProcesses() throws InterruptedException {
		LettuceConnectionFactory others = Connections.lettuce(this.server);
		try (RedisLockBackend other = new RedisLockBackend(others, Duration.ofDays(7), "other");
				LockTemplate here = new LockTemplate(this.backend, new LockSettings("app"));
				LockTemplate there = new LockTemplate(other, new LockSettings("app"))) {
			List<Long> tokens = new CopyOnWriteArrayList<>();
			List<Thread> threads = new ArrayList<>();
			LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS).withWaitTime(TTL);
			for (int i = 0; i < 8; i++) {
				LockTemplate template = (i % 2 == 0) ? here : there;
				threads.add(new Thread(() -> {
					for (int round = 0; round < 50; round++) {
						template.execute(request, (lease) -> tokens.add(lease.fencingToken().value()));
					}
				}));
			}
			threads.forEach(Thread::start);
			for (Thread thread : threads) {
				thread.join();
			}
			assertThat(tokens).hasSize(400).doesNotHaveDuplicates().isSorted();
		}
		finally {
			others.destroy();
		}
		assertThat(this.server.command("EXISTS", NAME)).isEqualTo(0L);
	}

	private static LockAttempt attempt(LockMode mode, Duration ttl) {
		return new LockAttempt(NAME, UUID.randomUUID().toString(), mode, ttl, "'k'");
	}

	private Acquisition handOver(BackendLease from, LockAttempt attempt) {
		return this.backend.handOver(from, attempt).toCompletableFuture().join();
	}

	private static BackendLease granted(Acquisition acquisition) {
		return ((Acquisition.Granted) acquisition).lease();
	}

}
