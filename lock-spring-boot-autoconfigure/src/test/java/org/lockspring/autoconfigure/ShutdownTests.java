package org.lockspring.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.TestJvm;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Real applications that are ended while they hold locks. */
@UsesServer("redis")
class ShutdownTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final RedisServer server = RedisServer.start();

	@AfterEach
	void close() {
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void bodyEndsAndItsLockIsReleasedBeforeTheConnectionsClose(String client) {
		try (TestJvm program = start("body", client)) {
			program.awaitOutput("IN BODY");
			end(program);
			assertThat(program.output()).contains("BODY ENDED");
			assertThat(locks()).isEmpty();
			assertIsQuiet(program);
		}
	}

	@Test
	void bodyThatTheShutdownInterruptsReleasesItsLockAtOnce() {
		try (TestJvm program = start("interrupted", "lettuce")) {
			program.awaitOutput("IN BODY");
			end(program);
			assertThat(program.output()).contains("INTERRUPTED");
			assertThat(locks()).isEmpty();
			assertIsQuiet(program);
		}
	}

	@Test
	void twentyHeldLocksAreRenewedUntilTheirBodiesEndAndNothingIsLeft() {
		try (TestJvm program = start("many", "lettuce")) {
			program.awaitOutput("IN BODY");
			// Longer than the ttl: they are renewed
			Duration held = Duration.ofSeconds(6);
			long start = System.nanoTime();
			await().until(() -> System.nanoTime() - start > held.toNanos());
			assertThat(locks()).hasSize(20);
			end(program);
			assertThat(program.output().lines().filter("BODY ENDED"::equals)).hasSize(20);
			assertThat(locks()).isEmpty();
			assertIsQuiet(program);
		}
	}

	@Test
	void callsDuringTheShutdownAreRefusedAndTheirBodiesDoNotRun() {
		try (TestJvm program = start("calls", "lettuce")) {
			program.awaitOutput("IN BODY");
			end(program);
			assertThat(program.output().lines().filter((line) -> line.startsWith("REFUSED"))).isNotEmpty()
				.allMatch((line) -> line.startsWith("REFUSED 0 ") && line.contains("shutting down"));
			assertThat(program.output()).doesNotContain("UNEXPECTED");
			assertThat(locks()).isEmpty();
			assertIsQuiet(program);
		}
	}

	@Test
	void lockOfAKilledApplicationIsFreeAfterItsTtl() {
		try (TestJvm program = start("many", "lettuce")) {
			program.awaitOutput("IN BODY");
			program.kill();
			long killed = System.nanoTime();
			assertThat(locks()).hasSize(20)
				.allSatisfy((name) -> assertThat((Long) this.server.command("PTTL", name)).isNotEqualTo(-1L));
			await().until(() -> locks().isEmpty());
			assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(7));
		}
	}

	private TestJvm start(String work, String client) {
		return TestJvm.start(ShutdownProgram.class, work, "--spring.application.name=app",
				"--spring.data.redis.port=" + this.server.port(), "--spring.data.redis.client-type=" + client,
				"--spring.lifecycle.timeout-per-shutdown-phase=10s");
	}

	private static void end(TestJvm program) {
		program.terminate();
		program.awaitEnd(PATIENCE);
	}

	private List<String> locks() {
		return ((List<?>) this.server.command("KEYS", "app:*")).stream().map(Object::toString).toList();
	}

	private static void assertIsQuiet(TestJvm program) {
		assertThat(program.output()).contains("THREADS []");
		assertThat(program.output().lines()).noneMatch((line) -> line.contains(" ERROR ") || line.contains(" WARN "));
	}

}
