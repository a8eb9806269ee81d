package org.lockspring.redis;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.RespConnection;
import org.lockspring.testing.UsesServer;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** What the backend makes of a server that refuses. */
@UsesServer("redis")
class RedisErrorTests {

	private static final String NAME = "app1:{order:1}";

	private RedisServer server;

	private LettuceConnectionFactory connections;

	private RedisLockBackend backend;

	@BeforeEach
	void start() {
		open(RedisServer.start());
	}

	private void open(RedisServer started) {
		this.server = started;
		use(Connections.lettuce(started));
	}

	private void use(LettuceConnectionFactory factory) {
		stop(this.connections);
		this.connections = factory;
		this.backend = new RedisLockBackend(factory, Duration.ofDays(7), this.server.toString());
	}

	@AfterEach
	void stop() {
		this.backend.close();
		stop(this.connections);
		this.server.close();
	}

	private static void stop(LettuceConnectionFactory factory) {
		if (factory != null) {
			factory.destroy();
		}
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void entryOfAnotherTypeIsPermanentAndNamesTheKey(LockMode mode) {
		this.server.command("LPUSH", NAME, "a task");
		failure(mode).isPermanent().says(NAME, "WRONGTYPE", "lock.namespace", "order:1", "OrderService#ship");
		assertThat(this.server.command("LLEN", NAME)).isEqualTo(1L);
	}

	@Test
	void counterOfAnotherTypeLeavesNoEntry() {
		this.server.command("LPUSH", NAME + ":fence", "a task");
		failure(LockMode.CORRECTNESS).isPermanent().says("WRONGTYPE");
		assertThat(this.server.command("EXISTS", NAME)).isEqualTo(0L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "not a number", "9007199254740991", "nan", "inf" })
	void counterThatCannotBeCountedOnLeavesNoEntry(String counter) {
		this.server.command("SET", NAME + ":fence", counter);
		failure(LockMode.CORRECTNESS).isPermanent();
		assertThat(this.server.command("EXISTS", NAME)).isEqualTo(0L);
	}

	@Test
	void largestCounterIsCountedExactly() {
		this.server.command("SET", NAME + ":fence", "9007199254740989");
		BackendLease lease = ((Acquisition.Granted) attempt(LockMode.CORRECTNESS)).lease();
		assertThat(lease.fencingToken().value()).isEqualTo(9007199254740990L);
	}

	@Test
	void userWithoutTheRightToACommandIsPermanentAndLeavesNoEntry() {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all", "-time");
		use(Connections.lettuce(this.server, "app", "secret"));
		failure(LockMode.CORRECTNESS).isPermanent().says("lock.namespace");
		assertThat(this.server.command("DBSIZE")).isEqualTo(0L);
	}

	@Test
	void userWithoutTheRightToTheCounterLeavesNoEntry() {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~" + NAME, "+@all");
		use(Connections.lettuce(this.server, "app", "secret"));
		failure(LockMode.CORRECTNESS).isPermanent();
		assertThat(this.server.command("DBSIZE")).isEqualTo(0L);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void userLimitedToTheNamespaceIsEnough(LockMode mode) {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~app1:*", "&app1:*", "+set", "+get", "+del",
				"+pexpire", "+pttl", "+time", "+eval", "+evalsha", "+publish", "+hello", "+client", "+ping");
		use(Connections.lettuce(this.server, "app", "secret"));
		BackendLease lease = ((Acquisition.Granted) attempt(mode)).lease();
		assertThat(attempt(mode)).isInstanceOf(Acquisition.Busy.class);
		assertThat(lease.renew(Duration.ofSeconds(3))).isEqualTo(Ownership.HELD);
		assertThat(lease.release()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(Ownership.HELD);
		assertThat((List<?>) this.server.command("ACL", "LOG")).isEmpty();
	}

	@Test
	void wrongPasswordIsPermanent() {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all");
		use(Connections.lettuce(this.server, "app", "wrong"));
		// The server may close the connection before the client has read the refusal
		await().untilAsserted(() -> failure(LockMode.EFFICIENCY).isPermanent().says("spring.data.redis.password"));
	}

	@Test
	void missingPasswordIsPermanent() {
		this.server.command("CONFIG", "SET", "requirepass", "secret");
		failure(LockMode.EFFICIENCY).isPermanent().says("spring.data.redis.password");
	}

	@Test
	void serverWithoutScriptsIsPermanent() {
		this.server.close();
		open(RedisServer.start("rename-command EVAL \"\"", "rename-command EVALSHA \"\""));
		failure(LockMode.CORRECTNESS).isPermanent().says("does not allow scripts");
	}

	@Test
	void serverWithoutWaitServes() {
		this.server.close();
		open(RedisServer.start("rename-command WAIT \"\""));
		assertThat(attempt(LockMode.CORRECTNESS)).isInstanceOf(Acquisition.Granted.class);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void noServerIsTransientAndNamesTheAddress(LockMode mode) {
		this.server.kill();
		failure(mode).isTransient().says(this.server.toString(), "order:1");
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void readOnlyReplicaIsTransientAndServesAgainWhenPromoted(LockMode mode) {
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		failure(mode).isTransient();
		this.server.command("REPLICAOF", "NO", "ONE");
		assertThat(attempt(mode)).isInstanceOf(Acquisition.Granted.class);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void tooFewReplicasIsTransient(LockMode mode) {
		this.server.command("CONFIG", "SET", "min-replicas-to-write", "1");
		failure(mode).isTransient().says("NOREPLICAS");
		assertThat(this.server.command("DBSIZE")).isEqualTo(0L);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void fullMemoryRefusesToAcquireButNotToRenewAndRelease(LockMode mode) {
		BackendLease held = ((Acquisition.Granted) attempt(mode)).lease();
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		assertThat(held.renew(Duration.ofSeconds(5))).isEqualTo(Ownership.HELD);
		assertThat(held.release()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(Ownership.HELD);
		failure(mode).isTransient().says("OOM");
		assertThat(this.server.command("EXISTS", NAME)).isEqualTo(0L);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void busyScriptIsWaitedOutWithinTheWaitTime(LockMode mode) throws InterruptedException {
		this.server.command("CONFIG", "SET", "busy-reply-threshold", "10");
		LockTemplate template = new LockTemplate(this.backend, new LockSettings("app1"));
		Thread loop = new Thread(() -> {
			try (RespConnection connection = this.server.connect(Duration.ofSeconds(20))) {
				connection.command("EVAL", "while true do end", "0");
			}
			catch (IllegalStateException ex) {
				assertThat(ex).hasMessageContaining("killed");
			}
		});
		loop.start();
		try {
			await().until(() -> failureOrNull(mode) != null);
			failure(mode).isTransient().says("BUSY");
		}
		finally {
			this.server.command("SCRIPT", "KILL");
			loop.join();
		}
		String result = template.execute(LockRequest.of("order:2").withMode(mode).withWaitTime(Duration.ofSeconds(10)),
				(lease) -> "done");
		assertThat(result).isEqualTo("done");
	}

	private Acquisition attempt(LockMode mode) {
		return this.backend.tryAcquire(new LockAttempt(NAME, UUID.randomUUID().toString(), mode, Duration.ofSeconds(5),
				"'order:1' of OrderService#ship"));
	}

	private LockUnavailableException failureOrNull(LockMode mode) {
		try {
			attempt(mode);
			return null;
		}
		catch (LockUnavailableException ex) {
			return ex;
		}
	}

	private Failure failure(LockMode mode) {
		LockUnavailableException[] caught = new LockUnavailableException[1];
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> attempt(mode))
			.satisfies((ex) -> caught[0] = ex);
		return new Failure(caught[0]);
	}

	/** One failed call and what is expected of it. */
	private record Failure(LockUnavailableException ex) {

		Failure isPermanent() {
			assertThat(this.ex.isRetryable()).as("%s", this.ex).isFalse();
			return this;
		}

		Failure isTransient() {
			assertThat(this.ex.isRetryable()).as("%s", this.ex).isTrue();
			return this;
		}

		Failure says(String... words) {
			assertThat(this.ex).message().contains(words);
			return this;
		}

	}

}
