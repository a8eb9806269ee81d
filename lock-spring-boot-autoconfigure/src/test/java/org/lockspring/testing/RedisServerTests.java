package org.lockspring.testing;

import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@UsesServer("redis")
class RedisServerTests {

	private RedisServer server;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
	}

	@AfterEach
	void close() {
		this.server.close();
	}

	@Test
	void answersOfEveryTypeAreRead() {
		assertThat(this.server.command("SET", "kéy", "välue")).isEqualTo("OK");
		assertThat(this.server.command("GET", "kéy")).isEqualTo("välue");
		assertThat(this.server.command("GET", "other")).isNull();
		assertThat(this.server.command("INCR", "count")).isEqualTo(1L);
		assertThat(this.server.command("MGET", "kéy", "other", "count"))
			.isEqualTo(java.util.Arrays.asList("välue", null, "1"));
		assertThat(this.server.command("EVAL", "return {1,{'a',2},''}", "0"))
			.isEqualTo(List.of(1L, List.of("a", 2L), ""));
		assertThatIllegalStateException().isThrownBy(() -> this.server.command("INCR", "kéy"))
			.withMessageStartingWith("ERR value is not an integer");
	}

	@Test
	void pausedServerDoesNotAnswerAndResumedServerExecutesWhatWasSent() {
		try (RespConnection connection = this.server.connect(Duration.ofSeconds(5))) {
			connection.command("PING");
			this.server.pause();
			connection.setTimeout(Duration.ofMillis(300));
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> connection.command("INCR", "count"))
				.withCauseInstanceOf(SocketTimeoutException.class);
			this.server.resume();
			assertThat(this.server.command("INCR", "count")).isEqualTo(2L);
		}
	}

	@Test
	void killedServerIsGoneAndRestartedServerIsEmptyOnTheSamePort() {
		this.server.command("SET", "key", "value");
		int port = this.server.port();
		String runId = this.server.info("run_id");
		this.server.kill();
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> this.server.command("PING"));
		this.server.restart();
		assertThat(this.server.port()).isEqualTo(port);
		assertThat(this.server.info("run_id")).isNotEmpty().isNotEqualTo(runId);
		assertThat(this.server.command("DBSIZE")).isEqualTo(0L);
	}

	@Test
	void pausedServerCanBeKilled() {
		this.server.pause();
		this.server.restart();
		assertThat(this.server.command("PING")).isEqualTo("PONG");
	}

	@Test
	void configurationOverridesDefaultsAndPersistenceSurvivesARestart() {
		try (RedisServer persistent = RedisServer.start("appendonly yes", "--appendfsync always",
				"requirepass secret")) {
			persistent.command("SET", "key", "value");
			persistent.restart();
			assertThat(persistent.command("GET", "key")).isEqualTo("value");
			try (RespConnection stranger = new RespConnection(persistent.host(), persistent.port(),
					Duration.ofSeconds(5))) {
				assertThatIllegalStateException().isThrownBy(() -> stranger.command("GET", "key"))
					.withMessageStartingWith("NOAUTH");
			}
		}
	}

	@Test
	void wrongConfigurationIsTold() {
		assertThatIllegalStateException().isThrownBy(() -> RedisServer.start("no-such-setting 1"))
			.withMessageContaining("no-such-setting");
	}

	@Test
	void nothingIsPersistedByDefault() {
		assertThat(this.server.command("CONFIG", "GET", "save")).isEqualTo(List.of("save", ""));
		assertThat(this.server.command("CONFIG", "GET", "appendonly")).isEqualTo(List.of("appendonly", "no"));
	}

}
