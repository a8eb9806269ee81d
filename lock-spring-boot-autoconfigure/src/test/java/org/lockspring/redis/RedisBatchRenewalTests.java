package org.lockspring.redis;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
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
import org.lockspring.LockUnavailableException;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Many entries are renewed with one request. */
@UsesServer("redis")
class RedisBatchRenewalTests {

	private static final Duration TTL = Duration.ofSeconds(60);

	private final RedisServer server = RedisServer.start();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	@AfterEach
	void close() {
		this.proxy.close();
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void hundredEntriesAreOneRequest(RedisDriver driver) {
		try (Connected connected = connect(driver)) {
			List<BackendLease> leases = connected.leases(100, TTL);
			this.server.command("CONFIG", "RESETSTAT");
			assertThat(connected.renew(leases, Duration.ofMinutes(5))).hasSize(100).containsOnly(held());
			assertThat(this.server.info("cmdstat_evalsha")).isEmpty();
			assertThat(this.server.info("cmdstat_eval")).startsWith("calls=1,");
			for (BackendLease lease : leases) {
				assertThat(ttl(lease)).isBetween(290_000L, 300_000L);
				assertThat(lease.validUntil() - System.nanoTime()).isGreaterThan(Duration.ofMinutes(4).toNanos());
			}
			this.server.command("CONFIG", "RESETSTAT");
			connected.renew(leases, TTL);
			assertThat(this.server.info("cmdstat_evalsha")).startsWith("calls=1,").contains("failed_calls=0");
			assertThat(this.server.info("cmdstat_eval")).isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource
	void everyEntryHasAnAnswerOfItsOwn(RedisDriver driver) {
		try (Connected connected = connect(driver)) {
			List<BackendLease> leases = connected.leases(5, TTL);
			this.server.command("DEL", name(1));
			this.server.command("SET", name(2), "another's");
			this.server.command("DEL", name(3));
			this.server.command("LPUSH", name(3), "a task");
			List<Outcome> outcomes = connected.renew(leases, Duration.ofMinutes(5));
			assertThat(outcomes.get(0)).isEqualTo(held());
			assertThat(outcomes.get(1)).isEqualTo(new Outcome.Answered(Ownership.EXPIRED));
			assertThat(outcomes.get(2)).isEqualTo(new Outcome.Answered(Ownership.TAKEN));
			assertThat(outcomes.get(3)).isInstanceOfSatisfying(Outcome.Failed.class, (failed) -> {
				assertThat(failed.reason()).hasMessageContainingAll(name(3), "WRONGTYPE", "lock.namespace");
				assertThat(failed.reason().isRetryable()).isFalse();
			});
			assertThat(outcomes.get(4)).isEqualTo(held());
			assertThat(ttl(leases.get(4))).isGreaterThan(290_000L);
			assertThat(this.server.command("EXISTS", name(1))).isEqualTo(0L);
			assertThat(this.server.command("PTTL", name(2))).isEqualTo(-1L);
			assertThat(leases.get(2).validUntil() - System.nanoTime()).isLessThanOrEqualTo(TTL.toNanos());
		}
	}

	@Test
	void callThatFailsFailsOnlyItsEntriesAndTheyCanBeRenewedAgain() {
		try (Connected connected = connect(RedisDriver.LETTUCE)) {
			List<BackendLease> leases = connected.leases(10, TTL);
			connected.renew(leases, TTL);
			this.server.command("CONFIG", "SET", "min-replicas-to-write", "1");
			assertThat(connected.renew(leases, TTL)).allSatisfy((outcome) -> {
				LockUnavailableException reason = ((Outcome.Failed) outcome).reason();
				assertThat(reason.isRetryable()).isTrue();
				assertThat(reason).hasMessageContainingAll("NOREPLICAS", "could not be extended");
			});
			this.server.command("CONFIG", "SET", "min-replicas-to-write", "0");
			assertThat(connected.renew(leases, TTL)).containsOnly(held());
		}
	}

	@Test
	void answerThatIsLateIsNotWaitedForButCounts() {
		try (Connected connected = connect(RedisDriver.LETTUCE)) {
			List<BackendLease> leases = connected.leases(10, TTL);
			connected.renew(leases, TTL);
			long before = leases.get(0).validUntil();
			this.proxy.delayReplies(Duration.ofSeconds(2));
			List<Outcome> outcomes = connected.renew(leases, Duration.ofSeconds(6));
			assertThat(outcomes).hasOnlyElementsOfType(Outcome.Failed.class);
			assertThat(leases.get(0).validUntil()).isEqualTo(before);
			await().until(() -> leases.stream().allMatch((lease) -> lease.validUntil() - before < 0));
		}
	}

	@Test
	void answerToAnOlderRequestDoesNotUndoThatToALaterOne() {
		try (Connected connected = connect(RedisDriver.LETTUCE)) {
			RedisLease lease = (RedisLease) connected.leases(1, TTL).get(0);
			long now = System.nanoTime();
			lease.renewed(now + 2, Duration.ofSeconds(1), 1);
			long until = lease.validUntil();
			lease.renewed(now + 1, Duration.ofHours(1), 1);
			assertThat(lease.validUntil()).isEqualTo(until);
		}
	}

	private Connected connect(RedisDriver driver) {
		return new Connected(driver.process(this.proxy.port()));
	}

	private long ttl(BackendLease lease) {
		return (Long) this.server.command("PTTL", ((RedisLease) lease).name());
	}

	private static String name(int i) {
		return "app:{k" + i + "}";
	}

	private static Outcome held() {
		return new Outcome.Answered(Ownership.HELD);
	}

	private record Connected(RedisDriver.Process process) implements AutoCloseable {

		List<BackendLease> leases(int count, Duration ttl) {
			return IntStream.range(0, count)
				.mapToObj((i) -> this.process.backend()
					.tryAcquire(new LockAttempt(name(i), UUID.randomUUID().toString(), LockMode.values()[i % 2], ttl,
							"'k" + i + "'")))
				.map((acquisition) -> ((Acquisition.Granted) acquisition).lease())
				.toList();
		}

		List<Outcome> renew(List<BackendLease> leases, Duration ttl) {
			return this.process.backend().renew(leases.stream().map((lease) -> new Renewal(lease, ttl)).toList());
		}

		@Override
		public void close() {
			this.process.close();
		}

	}

}
