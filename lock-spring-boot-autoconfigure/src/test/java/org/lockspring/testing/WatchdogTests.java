package org.lockspring.testing;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Ends a JVM that has servers running, and looks for them. */
@UsesServer("redis")
class WatchdogTests {

	@Test
	void nothingOutlivesAJvmThatIsKilled() throws Exception {
		Process jvm = startJvm();
		List<Leftover> leftovers = leftovers(jvm);
		jvm.destroyForcibly();
		assertThatAllEnd(leftovers);
	}

	@Test
	void nothingOutlivesAJvmThatEnds() throws Exception {
		Process jvm = startJvm();
		List<Leftover> leftovers = leftovers(jvm);
		jvm.getOutputStream().close();
		assertThatAllEnd(leftovers);
		assertThat(jvm.waitFor()).isZero();
	}

	private static Process startJvm() throws Exception {
		return new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-cp",
				System.getProperty("java.class.path"), Victim.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
	}

	private static List<Leftover> leftovers(Process jvm) throws Exception {
		BufferedReader output = jvm.inputReader();
		List<Leftover> leftovers = List.of(Leftover.read(output), Leftover.read(output));
		assertThat(leftovers).allMatch(Leftover::isRunning).allMatch(Leftover::hasFiles);
		return leftovers;
	}

	private static void assertThatAllEnd(List<Leftover> leftovers) {
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(leftovers).noneMatch(Leftover::isRunning).noneMatch(Leftover::hasFiles));
	}

	private record Leftover(ProcessHandle process, Path directory) {

		static Leftover read(BufferedReader output) throws Exception {
			return new Leftover(ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow(),
					Path.of(output.readLine()));
		}

		/** A process that nobody waits for stays in the table after its end. */
		boolean isRunning() {
			return this.process.isAlive() && this.process.info().command().isPresent();
		}

		boolean hasFiles() {
			return Files.exists(this.directory);
		}

	}

	static final class Victim {

		private Victim() {
		}

		public static void main(String[] args) throws Exception {
			RedisServer running = RedisServer.start();
			RedisServer paused = RedisServer.start();
			paused.restart();
			for (RedisServer server : List.of(running, paused)) {
				System.out.println(server.info("process_id"));
				System.out.println(server.directory());
			}
			paused.pause();
			System.in.read();
		}

	}

}
