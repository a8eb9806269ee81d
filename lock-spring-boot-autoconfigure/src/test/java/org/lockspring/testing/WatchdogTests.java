package org.lockspring.testing;

import java.io.BufferedReader;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Ends a JVM that has servers running, and looks for them. */
@UsesServer("redis")
class WatchdogTests {

	@Test
	void noServerOutlivesAJvmThatIsKilled() throws Exception {
		Process jvm = startJvm();
		ProcessHandle[] servers = servers(jvm);
		jvm.destroyForcibly();
		assertThatAllEnd(servers);
	}

	@Test
	void noServerOutlivesAJvmThatEnds() throws Exception {
		Process jvm = startJvm();
		ProcessHandle[] servers = servers(jvm);
		jvm.getOutputStream().close();
		assertThatAllEnd(servers);
		assertThat(jvm.waitFor()).isZero();
	}

	private static Process startJvm() throws Exception {
		return new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-cp",
				System.getProperty("java.class.path"), Victim.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
	}

	private static ProcessHandle[] servers(Process jvm) throws Exception {
		BufferedReader output = jvm.inputReader();
		List<ProcessHandle> servers = List.of(ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow(),
				ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow());
		assertThat(servers).allMatch(ProcessHandle::isAlive);
		return servers.toArray(ProcessHandle[]::new);
	}

	private static void assertThatAllEnd(ProcessHandle... servers) {
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(servers).noneMatch(WatchdogTests::isRunning));
	}

	/** A process that nobody waits for stays in the table after its end. */
	private static boolean isRunning(ProcessHandle process) {
		return process.isAlive() && process.info().command().isPresent();
	}

	static final class Victim {

		private Victim() {
		}

		public static void main(String[] args) throws Exception {
			RedisServer running = RedisServer.start();
			RedisServer paused = RedisServer.start();
			paused.restart();
			System.out.println(running.info("process_id"));
			System.out.println(paused.info("process_id"));
			paused.pause();
			System.in.read();
		}

	}

}
