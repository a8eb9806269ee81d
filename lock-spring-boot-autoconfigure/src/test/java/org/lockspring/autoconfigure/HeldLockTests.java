package org.lockspring.autoconfigure;

import java.time.Duration;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** A lock that is held for long: renewed, lost, taken by another instance. */
@UsesServer("redis")
@ExtendWith(OutputCaptureExtension.class)
class HeldLockTests {

	private static final RedisServer redis = RedisServer.shared();

	private Instance one;

	private Instance two;

	@BeforeEach
	void start() {
		redis.flush();
		this.one = Instance.start(redis.port());
		this.two = Instance.start(redis.port());
	}

	@AfterEach
	void stop() {
		this.one.close();
		this.two.close();
	}

	private static boolean isLocked() {
		return Long.valueOf(1).equals(redis.command("EXISTS", "app:{k}"));
	}

	private static long pttl() {
		return (Long) redis.command("PTTL", "app:{k}");
	}

	private static LockRequest request(LockMode mode, Duration ttl) {
		return LockRequest.of("k").withMode(mode).withTtl(ttl);
	}

	private LockLease takeOver() {
		return this.two.locks().acquire(LockRequest.of("k").withWaitTime(Duration.ofSeconds(20)));
	}

	private static long warnings(CapturedOutput output) {
		return output.getOut().lines().filter((line) -> line.contains("WARN")).count();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void lockOfALongBodyNeverComesNearItsEnd(LockMode mode) {
		long start = System.nanoTime();
		this.one.locks().execute(request(mode, Duration.ofSeconds(2)), (lease) -> {
			await().atMost(Duration.ofSeconds(20))
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(50))
				.until(() -> {
					assertThat(pttl()).isGreaterThanOrEqualTo(600);
					return System.nanoTime() - start > Duration.ofSeconds(8).toNanos();
				});
			assertThat(this.two.locks().tryAcquire("k")).isEmpty();
			return null;
		});
		await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofMillis(100)).until(() -> !isLocked());
		assertThat(this.one.losses()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void lockThatAnotherInstanceHasTakenIsLeftToIt(LockMode mode, CapturedOutput output) {
		LockLease[] taken = new LockLease[1];
		Object[] owner = new Object[1];
		LockRequest request = request(mode, Duration.ofMillis(500)).withAutoRenew(false).withCaller("Job#run");
		Object outcome;
		try {
			outcome = this.one.locks().execute(request, (lease) -> {
				taken[0] = takeOver();
				owner[0] = redis.command("GET", "app:{k}");
				return "result";
			});
		}
		catch (LockLostException ex) {
			outcome = ex.getMessage();
		}
		String what = "'k' of Job#run was lost while held: it ended and another holder has it now";
		if (mode == LockMode.CORRECTNESS) {
			assertThat(outcome).asString().contains(what).containsPattern("held \\d+ ms, ttl 500 ms");
			assertThat(warnings(output)).isZero();
		}
		else {
			assertThat(outcome).isEqualTo("result");
			assertThat(output.getOut()).contains(what).containsPattern("held \\d+ ms, ttl 500 ms");
			assertThat(warnings(output)).isEqualTo(1);
		}
		assertThat(this.one.losses()).hasSize(1);
		assertThat(redis.command("GET", "app:{k}")).isEqualTo(owner[0]);
		assertThat(pttl()).isGreaterThan(20_000);
		taken[0].close();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void lockThatExpiredIsToldApartFromOneThatWasTaken(LockMode mode, CapturedOutput output) {
		LockRequest request = request(mode, Duration.ofMillis(500)).withAutoRenew(false);
		String message = null;
		try {
			this.one.locks().execute(request, (lease) -> {
				await().until(() -> !isLocked());
				return null;
			});
		}
		catch (LockLostException ex) {
			message = ex.getMessage();
		}
		assertThat((mode == LockMode.CORRECTNESS) ? message : output.getOut()).contains("'k'", "expired")
			.doesNotContain("another holder")
			.containsPattern("held \\d+ ms, ttl 500 ms");
	}

	@Test
	void releaseOfALockThatAnotherHasIsRepeatedWithoutHarm(CapturedOutput output) {
		LockLease expired = this.one.locks()
			.acquire(request(LockMode.EFFICIENCY, Duration.ofMillis(500)).withAutoRenew(false));
		LockLease taken = takeOver();
		Object owner = redis.command("GET", "app:{k}");
		expired.close();
		expired.close();
		assertThat(redis.command("GET", "app:{k}")).isEqualTo(owner);
		try (Instance three = Instance.start(redis.port())) {
			assertThat(three.locks().tryAcquire("k")).isEmpty();
		}
		assertThat(warnings(output)).isEqualTo(1);
		taken.close();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void holderThatIsCutOffKnowsThatItLostBeforeAnotherHasTheLock(LockMode mode) {
		try (FaultProxy proxy = FaultProxy.to(redis);
				Instance holder = Instance.start(proxy.port(), "spring.data.redis.timeout=300ms")) {
			LockLease lease = holder.locks().acquire(request(mode, Duration.ofSeconds(1)));
			await().until(() -> pttl() > 0 && pttl() < 700);
			await().until(() -> pttl() > 900);
			proxy.blackhole();
			LockLease taken = takeOver();
			assertThat(lease.isValid()).isFalse();
			await().pollInterval(Duration.ofMillis(10))
				.atMost(Duration.ofMillis(100))
				.until(() -> holder.losses().size() == 1);
			Object owner = redis.command("GET", "app:{k}");
			long left = pttl();
			proxy.heal();
			await().until(() -> pttl() < left - 1000);
			assertThat(redis.command("GET", "app:{k}")).isEqualTo(owner);
			lease.close();
			assertThat(redis.command("GET", "app:{k}")).isEqualTo(owner);
			assertThat(holder.losses()).hasSize(1);
			taken.close();
		}
	}

	@Test
	void lockOfAThreadThatIsGoneEndsAfterTheLongestHold(CapturedOutput output) throws InterruptedException {
		try (Instance holder = Instance.start(redis.port(), "lock.ttl=1s", "lock.renewal.max-hold=3s")) {
			holder.locks().execute("warm", (lease) -> null);
			LockLease[] lost = new LockLease[1];
			Thread thread = new Thread(() -> lost[0] = holder.locks().acquire("k"), "forgetful");
			long start = System.nanoTime();
			thread.start();
			thread.join();
			await().pollInterval(Duration.ofMillis(10)).until(() -> !isLocked());
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(2500),
					Duration.ofMillis(4100));
			assertThat(lost[0].isValid()).isFalse();
			assertThat(output.getOut().lines().filter((line) -> line.contains("max-hold"))).singleElement()
				.asString()
				.contains("WARN", "'k'", "thread 'forgetful'");
		}
	}

	@Test
	void leaseIsExtendedAsOftenAsOneLikes() {
		LockLease lease = this.one.locks().acquire("k");
		for (int i = 0; i < 3; i++) {
			lease.extend(Duration.ofSeconds(2));
			assertThat(pttl()).isBetween(1700L, 2000L);
		}
		lease.close();
		await().until(() -> !isLocked());
		assertThatIllegalStateException().isThrownBy(() -> lease.extend(Duration.ofSeconds(2)));
		assertThat(isLocked()).isFalse();
	}

	@Test
	void messageTellsHowLongALockIsKept(CapturedOutput output) {
		Logger logger = (Logger) LoggerFactory.getLogger(LockTemplate.class);
		logger.setLevel(Level.DEBUG);
		try {
			this.one.locks().execute(LockRequest.of("k").withMinHold(Duration.ofSeconds(20)), (lease) -> null);
			assertThat(output.getOut()).containsPattern("Lock 'k' is kept for another (19\\d{3}|20000) ms")
				.doesNotContainIgnoringCase("unlocked");
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> this.two.locks().acquire("k"))
				.withMessageContaining("held elsewhere");
		}
		finally {
			logger.setLevel(null);
		}
	}

}
