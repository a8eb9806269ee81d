package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.lockspring.Acquisition;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.testing.FreePorts;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.RedisServers;
import org.lockspring.testing.UsesServer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a Redlock backend refuses to begin with, and says.
 */
@UsesServer("redis")
@ExtendWith(OutputCaptureExtension.class)
class RedlockStartTests {

	private static RedisServers servers;

	@BeforeAll
	static void start() {
		servers = RedisServers.start(3);
	}

	@AfterAll
	static void stop() {
		servers.close();
	}

	@BeforeEach
	void flush() {
		servers.flush();
	}

	@Test
	void fewerThanThreeServersAreRefused() {
		assertRefused(servers.uris().subList(0, 2), "2 are too few");
	}

	@Test
	void serverNamedTwiceIsRefused() {
		List<String> uris = new ArrayList<>(servers.uris());
		uris.set(2, uris.get(0));
		assertRefused(uris, "a server is named twice");
	}

	@Test
	void serverBehindTwoAddressesIsRefused() {
		List<String> uris = new ArrayList<>(servers.uris());
		uris.set(2, servers.proxyUris().get(0));
		assertRefused(uris, "are one server, which would have two votes");
	}

	@ParameterizedTest
	@CsvSource({ "3,1", "4,2", "5,2", "5,6" })
	void quorumThatLetsTwoCallersHaveOneIsRefused(int nodes, int quorum) {
		List<RedisURI> uris = Collections.nCopies(nodes, "redis://host:")
			.stream()
			.map((prefix) -> RedisURI.create("redis://host" + System.nanoTime() + ":1"))
			.toList();
		assertThatExceptionOfType(InvalidLockDefinitionException.class)
			.isThrownBy(() -> new RedlockSettings(uris, quorum, Duration.ofMillis(100), Duration.ofSeconds(30), false,
					false, "test"))
			.withMessageContaining("lock.redlock.quorum")
			.withMessageContaining("Set it from %d to %d".formatted(nodes / 2 + 1, nodes));
	}

	@Test
	void replicaAmongTheServersIsRefused() {
		RedisServer replica = servers.server(2);
		replica.command("REPLICAOF", "127.0.0.1", String.valueOf(servers.server(0).port()));
		try {
			assertRefused(servers.uris(), replica + " is a replica");
		}
		finally {
			replica.command("REPLICAOF", "NO", "ONE");
		}
	}

	@Test
	void otherListThanThatOfOtherClientsIsRefused() {
		try (RedlockBackend first = Redlocks.bootstrapped(servers.uris()); RedisServer another = RedisServer.start()) {
			List<String> uris = new ArrayList<>(servers.uris());
			uris.set(2, "redis://" + another);
			assertRefused(uris, "serves clients with other settings");
			// The order does not matter
			Collections.reverse(uris = new ArrayList<>(servers.uris()));
			try (RedlockBackend second = Redlocks.bootstrapped(uris)) {
				assertThat(second.tryAcquire(attempt())).isInstanceOf(Acquisition.Granted.class);
			}
		}
	}

	@Test
	void startSaysWhatItSurvives(CapturedOutput output) {
		Redlocks.bootstrapped(servers.uris()).close();
		assertThat(output).contains("quorum 2: works with 1 of 3 down, and with 0 that lost their memory");
	}

	@Test
	void serverThatIsDownAtTheStartIsToldAndDoesWithout(CapturedOutput output) {
		List<String> uris = new ArrayList<>(servers.uris());
		int nobody = FreePorts.next();
		uris.set(2, "redis://127.0.0.1:" + nobody);
		RedlockSettings settings = Redlocks.settings(uris, false);
		try (RedlockBackend backend = new RedlockBackend(Redlocks.withQuarantine(settings, Duration.ofSeconds(2)),
				null)) {
			assertThat(output).contains("2 of 3 Redlock servers answer, 2 are needed. 127.0.0.1:" + nobody)
				.contains("Connection refused");
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> backend.tryAcquire(attempt()))
				.withMessageContaining("QUARANTINE");
		}
	}

	@Test
	void bootstrapIsForServersThatAreAllNew() {
		Redlocks.bootstrapped(servers.uris()).close();
		servers.server(1).flush();
		servers.server(2).flush();
		try (RedlockBackend backend = Redlocks.bootstrapped(servers.uris())) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> backend.tryAcquire(attempt()))
				.withMessageContaining("1 of 3 Redlock servers agreed and 2 are needed")
				.withMessageContaining(servers.server(1) + ": QUARANTINE");
		}
	}

	@Test
	void ttlLongerThanTheQuarantineIsRefused() {
		try (RedlockBackend backend = Redlocks.bootstrapped(servers.uris())) {
			assertThatExceptionOfType(InvalidLockDefinitionException.class)
				.isThrownBy(() -> backend.tryAcquire(
						new LockAttempt("app:{k}", "owner", LockMode.CORRECTNESS, Duration.ofMinutes(11), "'k'")))
				.withMessageContaining("lock.redlock.quarantine");
		}
	}

	private static void assertRefused(List<String> uris, String problem) {
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> Redlocks.bootstrapped(uris))
			.withMessageContaining("lock.redlock.nodes")
			.withMessageContaining(problem);
	}

	private static LockAttempt attempt() {
		return new LockAttempt("app:{k}", "owner" + System.nanoTime(), LockMode.CORRECTNESS, Duration.ofSeconds(1),
				"'k'");
	}

}
