package org.lockspring.testing;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@UsesServer("redis")
class FaultProxyTests {

	private final RedisServer server = RedisServer.shared();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	private RespConnection client;

	@BeforeEach
	void connect() {
		this.server.flush();
		this.client = newClient();
	}

	private RespConnection newClient() {
		return new RespConnection(this.proxy.host(), this.proxy.port(), Duration.ofSeconds(10));
	}

	@AfterEach
	void close() {
		this.client.close();
		this.proxy.close();
	}

	@Test
	void passesEverythingWithoutFaults() {
		String large = "x".repeat(1_000_000);
		assertThat(this.client.command("SET", "key", large)).isEqualTo("OK");
		assertThat(this.client.command("GET", "key")).isEqualTo(large);
	}

	@Test
	void sendsOnlyNewConnectionsToAnotherServer() {
		try (RedisServer other = RedisServer.start()) {
			other.command("SET", "count", "7");
			this.proxy.retarget(other.port());
			assertThat(this.client.command("INCR", "count")).isEqualTo(1L);
			this.proxy.cutAll();
			try (RespConnection next = newClient()) {
				assertThat(next.command("INCR", "count")).isEqualTo(8L);
			}
		}
	}

	@Test
	void swallowsExactlyOneReplyOfARequestThatWasExecuted() {
		this.proxy.swallowReplies(1);
		assertThatNoAnswerComes(this.client);
		assertThat(count()).isEqualTo("1");
		assertThat(this.proxy.swallowed()).isOne();
		try (RespConnection next = newClient()) {
			assertThat(next.command("INCR", "count")).isEqualTo(2L);
		}
		assertThat(this.proxy.swallowed()).isOne();
	}

	@Test
	void connectionWithASwallowedReplyIsCutRatherThanAnswerWithTheWrongReply() {
		this.proxy.swallowReplies(1);
		assertThatNoAnswerComes(this.client);
		assertThatConnectionIsCut(this.client);
		assertThat(count()).isEqualTo("2");
	}

	@Test
	void swallowsRepliesOnlyOfChosenRequests() {
		this.proxy.onlyRequestsWith("incr").swallowReplies(2);
		assertThat(this.client.command("PING")).isEqualTo("PONG");
		assertThatNoAnswerComes(this.client);
		try (RespConnection next = newClient()) {
			assertThat(next.command("PING")).isEqualTo("PONG");
			assertThatNoAnswerComes(next);
		}
		try (RespConnection last = newClient()) {
			assertThat(last.command("INCR", "count")).isEqualTo(3L);
		}
	}

	@Test
	void cutsTheConnectionAfterTheServerHasExecutedTheRequest() {
		this.proxy.onlyRequestsWith("INCR").cutAfterRequest();
		assertThat(this.client.command("PING")).isEqualTo("PONG");
		assertThatConnectionIsCut(this.client);
		assertThat(count()).isEqualTo("1");
		await().untilAsserted(() -> assertThat(this.proxy.cut()).isOne());
		try (RespConnection next = newClient()) {
			assertThat(next.command("INCR", "count")).isEqualTo(2L);
		}
	}

	@Test
	void delaysRepliesButNotRequests() throws Exception {
		this.proxy.delayReplies(Duration.ofSeconds(1));
		long start = System.nanoTime();
		CompletableFuture<Object> answer = CompletableFuture.supplyAsync(() -> this.client.command("INCR", "count"));
		await().pollInterval(Duration.ofMillis(2)).until(() -> "1".equals(count()));
		assertThat(answer).isNotDone();
		assertThat(answer.get()).isEqualTo(1L);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void holdsRequestsBackUntilReleasedAlsoWhenTheClientHasGone() {
		this.proxy.onlyRequestsWith("INCR").holdRequests();
		assertThat(this.client.command("PING")).isEqualTo("PONG");
		assertThatNoAnswerComes(this.client);
		this.client.close();
		assertThat(this.proxy.held()).isOne();
		assertThat(count()).isNull();
		this.proxy.releaseRequests();
		await().untilAsserted(() -> assertThat(count()).isEqualTo("1"));
		assertThat(this.proxy.held()).isZero();
	}

	@Test
	void cutDiscardsHeldRequests() {
		this.proxy.holdRequests();
		assertThatNoAnswerComes(this.client);
		this.proxy.cutAll();
		this.proxy.releaseRequests();
		await().until(() -> this.proxy.held() == 0);
		try (RespConnection next = newClient()) {
			assertThat(next.command("INCR", "count")).isEqualTo(1L);
		}
	}

	@Test
	void blackholeKeepsConnectionsOpenAndDeliversWhenHealed() {
		this.client.command("PING");
		this.proxy.blackhole();
		assertThatNoAnswerComes(this.client);
		try (RespConnection during = newClient()) {
			assertThatNoAnswerComes(during);
			assertThat(count()).isNull();
			this.proxy.heal();
			await().untilAsserted(() -> assertThat(count()).isEqualTo("2"));
		}
	}

	@Test
	void blackholeStopsAReplyThatIsOnItsWay() {
		this.proxy.delayReplies(Duration.ofSeconds(1));
		CompletableFuture<Object> answer = CompletableFuture.supplyAsync(() -> this.client.command("INCR", "count"));
		await().pollInterval(Duration.ofMillis(2)).until(() -> "1".equals(count()));
		this.proxy.blackhole();
		await().during(Duration.ofMillis(1500)).atMost(Duration.ofSeconds(3)).until(() -> !answer.isDone());
		this.proxy.heal();
		assertThat(answer).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(1L);
	}

	@Test
	void cutAllClosesWhatIsOpenAndLetsNewConnectionsIn() {
		this.client.command("PING");
		assertThat(this.proxy.connections()).isOne();
		this.proxy.cutAll();
		assertThatConnectionIsCut(this.client);
		assertThat(this.proxy.connections()).isZero();
		try (RespConnection next = newClient()) {
			assertThat(next.command("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void connectionEndsWithThatOfTheServer() {
		try (RedisServer mortal = RedisServer.start(); FaultProxy inFront = FaultProxy.to(mortal)) {
			try (RespConnection connection = new RespConnection(inFront.host(), inFront.port(),
					Duration.ofSeconds(5))) {
				connection.command("PING");
				mortal.kill();
				assertThatConnectionIsCut(connection);
			}
		}
	}

	private Object count() {
		return this.server.command("GET", "count");
	}

	private static void assertThatNoAnswerComes(RespConnection connection) {
		connection.setTimeout(Duration.ofMillis(300));
		assertThatIncrementFails(connection).hasCauseInstanceOf(SocketTimeoutException.class);
	}

	private static void assertThatConnectionIsCut(RespConnection connection) {
		assertThatIncrementFails(connection).cause().isInstanceOfAny(EOFException.class, SocketException.class);
	}

	private static AbstractThrowableAssert<?, ?> assertThatIncrementFails(RespConnection connection) {
		return assertThatThrownBy(() -> connection.command("INCR", "count")).isInstanceOf(UncheckedIOException.class);
	}

}
