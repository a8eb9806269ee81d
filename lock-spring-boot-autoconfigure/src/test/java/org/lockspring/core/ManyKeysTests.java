package org.lockspring.core;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.memory.MemoryLockBackend;
import org.lockspring.redis.RedisLockBackend;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Keys that are used once, in a heap that could not keep them all. */
@UsesServer("redis")
class ManyKeysTests {

	@Test
	@Timeout(120)
	void millionKeysUsedOnceLeaveNothing() throws Exception {
		run("memory", 1_000_000, 0);
	}

	@Test
	@Timeout(120)
	void hundredThousandKeysOnRedisLeaveNothing() throws Exception {
		try (RedisServer server = RedisServer.start()) {
			run("redis", 100_000, server.port());
			await().until(() -> server.info("db0").isEmpty());
		}
	}

	private static void run(String backend, int keys, int port) throws IOException, InterruptedException {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		Process process = new ProcessBuilder(java, "-Xmx64m", "-XX:+ExitOnOutOfMemoryError", "-cp",
				System.getProperty("java.class.path"), ManyKeysTests.class.getName(), backend, String.valueOf(keys),
				String.valueOf(port))
			.inheritIO()
			.start();
		try {
			assertThat(process.waitFor(100, TimeUnit.SECONDS)).as("ended").isTrue();
			assertThat(process.exitValue()).as("exit code").isZero();
		}
		finally {
			process.destroyForcibly();
		}
	}

	/** Runs in a JVM of its own. */
	public static void main(String[] args) {
		int keys = Integer.parseInt(args[1]);
		LettuceConnectionFactory connections = null;
		LockBackend backend = new MemoryLockBackend();
		if (args[0].equals("redis")) {
			connections = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(args[2])));
			connections.afterPropertiesSet();
			connections.start();
			backend = new RedisLockBackend(connections, Duration.ofDays(7), "redis");
		}
		LockTemplate template = new LockTemplate(backend, new LockSettings("many"));
		for (int i = 0; i < keys; i++) {
			// Counters of fencing stay in Redis on purpose
			LockMode mode = (connections == null && i % 2 == 0) ? LockMode.CORRECTNESS : LockMode.EFFICIENCY;
			template.execute(LockRequest.of("a key that nobody uses again, number " + i).withMode(mode),
					(lease) -> null);
		}
		Object store = backend;
		await().untilAsserted(() -> assertThat(template.isIdle()).isTrue());
		if (connections == null) {
			assertThat((Map<?, ?>) ReflectionTestUtils.getField(store, "entries")).isEmpty();
		}
		else {
			Object calls = field(store, "calls");
			await().untilAsserted(() -> assertThat((Map<?, ?>) field(calls, "unanswered")).isEmpty());
			assertThat((Map<?, ?>) field(field(store, "signals"), "channels")).isEmpty();
			assertThat((Collection<?>) ReflectionTestUtils.invokeMethod(field(store, "abandoner"), "getQueue"))
				.isEmpty();
		}
		System.exit(0);
	}

	private static Object field(Object target, String name) {
		return Objects.requireNonNull(ReflectionTestUtils.getField(target, name));
	}

}
