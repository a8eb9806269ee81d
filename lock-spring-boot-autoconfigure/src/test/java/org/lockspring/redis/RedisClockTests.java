package org.lockspring.redis;

import java.time.Duration;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.SteppedClock;
import org.lockspring.testing.UsesServer;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

/** The clock of the one Redis steps. */
@UsesServer("redis")
class RedisClockTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private final SteppedClock clock = new SteppedClock();

	private RedisServer server;

	private LettuceConnectionFactory connections;

	private RedisLockBackend backend;

	@BeforeEach
	void start() {
		assumeThat(SteppedClock.isAvailable()).as("a C compiler").isTrue();
		this.server = RedisServer.start(this.clock);
		this.connections = Connections.lettuce(this.server);
		this.backend = new RedisLockBackend(this.connections, Duration.ofDays(7), "redis");
	}

	@AfterEach
	void stop() {
		if (this.server != null) {
			this.backend.close();
			this.connections.destroy();
			this.server.close();
		}
	}

	@Test
	void stepForwardFreesTheLockAndTheHolderLearnsOfItWhileTokensRise() {
		BackendLease first = acquire();
		this.clock.step(Duration.ofHours(1));
		BackendLease second = acquire();
		assertThat(second.fencingToken().isNewerThan(first.fencingToken())).isTrue();
		assertThat(first.renew(TTL)).isEqualTo(Ownership.TAKEN);
		assertThat(second.renew(TTL)).isEqualTo(Ownership.HELD);
	}

	@Test
	void stepBackKeepsTheEntryOfACrashedHolderYetNobodyWaitsLongerThanHeWants() {
		acquire();
		this.clock.step(Duration.ofMinutes(-2));
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS).withWaitTime(Duration.ofMillis(500));
		try (LockTemplate template = new LockTemplate(this.backend, new LockSettings("app"))) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> template.acquire(request));
			this.clock.step(Duration.ofMinutes(1));
			template.acquire(request).close();
		}
	}

	@Test
	void tokensRiseAlthoughTheClockStepsBack() {
		BackendLease first = acquire();
		first.release().toCompletableFuture().join();
		this.clock.step(Duration.ofDays(-1));
		assertThat(acquire().fencingToken().isNewerThan(first.fencingToken())).isTrue();
	}

	private BackendLease acquire() {
		Acquisition acquisition = this.backend
			.tryAcquire(new LockAttempt("app:{k}", UUID.randomUUID().toString(), LockMode.CORRECTNESS, TTL, "'k'"));
		assertThat(acquisition).isInstanceOf(Acquisition.Granted.class);
		return ((Acquisition.Granted) acquisition).lease();
	}

}
