package org.lockspring.redis;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

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
import org.lockspring.LockUnavailableException;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Who waits for the answer to a release, and who does not. */
@UsesServer("redis")
class RedisReleaseTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private final RedisServer server = RedisServer.start();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	private LettuceConnectionFactory connections;

	private RedisLockBackend backend;

	@BeforeEach
	void open() {
		this.connections = Connections.lettuce(this.proxy.port(), TIMEOUT);
		this.backend = backend(this.connections);
		released(this.backend, LockMode.EFFICIENCY);
		released(this.backend, LockMode.CORRECTNESS);
	}

	@AfterEach
	void close() {
		this.proxy.heal();
		this.backend.close();
		this.connections.destroy();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void efficiencyIsTheOnlyOneThatDoesNotWaitAndOnlyOverTheSharedLettuceConnection() {
		assertThat(waits(this.backend, LockMode.EFFICIENCY)).isFalse();
		assertThat(waits(this.backend, LockMode.CORRECTNESS)).isTrue();
		LettuceConnectionFactory dedicated = Connections.lettuce(this.proxy.port(), TIMEOUT);
		dedicated.setShareNativeConnection(false);
		try (RedisLockBackend other = backend(dedicated)) {
			assertThat(waits(other, LockMode.EFFICIENCY)).isTrue();
		}
		finally {
			dedicated.destroy();
		}
		JedisConnectionFactory jedis = Connections.jedis(this.proxy.port(), TIMEOUT);
		try (RedisLockBackend other = backend(jedis)) {
			assertThat(waits(other, LockMode.EFFICIENCY)).isTrue();
		}
		finally {
			jedis.destroy();
		}
	}

	private boolean waits(RedisLockBackend over, LockMode mode) {
		released(over, mode);
		BackendLease lease = granted(over, mode, "app:{slow}");
		this.proxy.delayReplies(Duration.ofMillis(500));
		CompletionStage<Ownership> answer = lease.release();
		boolean waits = answer.toCompletableFuture().isDone();
		assertThat(answer).succeedsWithin(TIMEOUT).isEqualTo(Ownership.HELD);
		this.proxy.heal();
		return waits;
	}

	@Test
	void nextRequestOfTheSameClientComesBehindTheRelease() {
		for (int i = 0; i < 500; i++) {
			granted(this.backend, LockMode.EFFICIENCY, "app:{k}").release();
		}
	}

	@ParameterizedTest
	@EnumSource
	void nextRequestOfTheSameClientComesBehindAReleaseThatTheServerHadForgotten(LockMode mode) {
		for (int i = 0; i < 50; i++) {
			BackendLease lease = granted(this.backend, mode, "app:{k}");
			this.server.command("SCRIPT", "FLUSH");
			lease.release();
		}
	}

	@Test
	void releaseThatIsNotAnsweredIsReported() {
		BackendLease lease = granted(this.backend, LockMode.EFFICIENCY, "app:{k}");
		this.proxy.swallowReplies(1);
		assertThat(lease.release()).failsWithin(TIMEOUT.multipliedBy(3))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockUnavailableException.class)
			.withMessageContaining("'k' of Job#run could not be released");
	}

	@Test
	void closeWaitsForReleasesButNotForLong() {
		BackendLease lease = granted(this.backend, LockMode.EFFICIENCY, "app:{k}");
		this.proxy.delayReplies(Duration.ofMillis(300));
		CompletionStage<Ownership> answer = lease.release();
		assertThat(answer.toCompletableFuture()).isNotDone();
		this.backend.close();
		assertThat(answer.toCompletableFuture()).isDone();
		this.backend = backend(this.connections);
		BackendLease second = granted(this.backend, LockMode.EFFICIENCY, "app:{k}");
		this.proxy.blackhole();
		second.release();
		long start = System.nanoTime();
		this.backend.close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(1800));
	}

	@Test
	void releaseWithoutAConnectionFailsTheStageAndDoesNotThrow() {
		BackendLease lease = granted(this.backend, LockMode.EFFICIENCY, "app:{k}");
		this.connections.stop();
		assertThat(lease.release()).isCompletedExceptionally();
		this.connections.start();
		assertThat(acquire(this.backend, LockMode.EFFICIENCY, "app:{k}")).isInstanceOf(Acquisition.Busy.class);
	}

	private RedisLockBackend backend(RedisConnectionFactory factory) {
		return new RedisLockBackend(factory, Duration.ofDays(7), this.server.toString());
	}

	private static void released(RedisLockBackend over, LockMode mode) {
		granted(over, mode, "app:{warm}").release().toCompletableFuture().join();
	}

	private static BackendLease granted(RedisLockBackend over, LockMode mode, String name) {
		Acquisition acquisition = acquire(over, mode, name);
		assertThat(acquisition).isInstanceOf(Acquisition.Granted.class);
		return ((Acquisition.Granted) acquisition).lease();
	}

	private static Acquisition acquire(RedisLockBackend over, LockMode mode, String name) {
		return over.tryAcquire(
				new LockAttempt(name, UUID.randomUUID().toString(), mode, Duration.ofMinutes(1), "'k' of Job#run"));
	}

}
