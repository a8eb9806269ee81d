package org.lockspring.redis;

import java.time.Duration;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.testing.RedisServers;
import org.lockspring.testing.SteppedClock;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * What the servers' clocks can do, and what not.
 */
@UsesServer("redis")
class RedlockClockTests {

	private static final String NAME = "app:{k}";

	private RedisServers servers;

	private RedlockBackend backend;

	@BeforeEach
	void start() {
		assumeThat(SteppedClock.isAvailable()).as("a C compiler").isTrue();
		this.servers = RedisServers.startWithClocks(3);
		this.backend = new RedlockBackend(
				Redlocks.withQuarantine(Redlocks.settings(this.servers.uris(), true), Duration.ofSeconds(30)), null);
	}

	@AfterEach
	void stop() {
		if (this.backend != null) {
			this.backend.close();
			this.servers.close();
		}
	}

	@Test
	void minorityThatJumpsForwardFreesNothing() {
		BackendLease lease = acquire(Duration.ofSeconds(30));
		awaitEntries(3);
		this.servers.clock(0).step(Duration.ofHours(1));
		awaitEntries(2);
		assertThat(this.backend.tryAcquire(attempt(Duration.ofSeconds(30)))).isInstanceOf(Acquisition.Busy.class);
		assertThat(lease.renew(Duration.ofSeconds(30))).isEqualTo(BackendLease.Ownership.HELD);
	}

	@Test
	void majorityThatJumpsForwardFreesTheLockYetTokensRise() {
		BackendLease first = acquire(Duration.ofSeconds(30));
		awaitEntries(3);
		this.servers.clock(0).step(Duration.ofHours(1));
		this.servers.clock(1).step(Duration.ofHours(1));
		awaitEntries(1);
		BackendLease second = acquire(Duration.ofSeconds(30));
		assertThat(first.validUntil()).as("two believe to hold it").isGreaterThan(System.nanoTime());
		assertThat(second.fencingToken().isNewerThan(first.fencingToken())).isTrue();
	}

	@Test
	void minorityThatStepsBackDoesNotKeepTheLock() {
		acquire(Duration.ofMillis(300));
		awaitEntries(3);
		this.servers.clock(0).step(Duration.ofHours(-1));
		await().ignoreExceptions().untilAsserted(() -> acquire(Duration.ofSeconds(30)));
		assertThat((long) this.servers.server(0).command("PTTL", NAME)).as("the old entry").isGreaterThan(3_000_000);
	}

	@Test
	void tokensRiseWhenAServerComesBackEmptyWithAClockThatIsBehind() {
		BackendLease first = acquire(Duration.ofSeconds(1));
		this.servers.clock(0).step(Duration.ofSeconds(-20));
		this.servers.server(0).restart();
		// Quarantined, and then let go before the time by its clock
		await().ignoreExceptions().until(() -> {
			this.backend.tryAcquire(attempt(Duration.ofSeconds(1)));
			return this.servers.server(0).command("EXISTS", "test:redlock").equals(1L);
		});
		this.servers.clock(0).step(Duration.ofSeconds(15));
		this.servers.server(1).pause();
		try {
			await().ignoreExceptions()
				.untilAsserted(() -> assertThat(
						acquire(Duration.ofSeconds(1)).fencingToken().isNewerThan(first.fencingToken()))
					.isTrue());
		}
		finally {
			this.servers.server(1).resume();
		}
	}

	private void awaitEntries(int entries) {
		await().untilAsserted(() -> assertThat(
				this.servers.servers().stream().filter((server) -> server.command("GET", NAME) != null))
			.hasSize(entries));
	}

	private BackendLease acquire(Duration ttl) {
		Acquisition acquisition = this.backend.tryAcquire(attempt(ttl));
		assertThat(acquisition).isInstanceOf(Acquisition.Granted.class);
		return ((Acquisition.Granted) acquisition).lease();
	}

	private static LockAttempt attempt(Duration ttl) {
		return new LockAttempt(NAME, UUID.randomUUID().toString(), LockMode.CORRECTNESS, ttl, "'k'");
	}

}
