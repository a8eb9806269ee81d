package org.lockspring.autoconfigure;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.PostgresServer;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A JVM that is stopped for longer than its lock lives, and goes on. */
@DisabledOnOs(OS.WINDOWS)
@UsesServer({ "redis", "postgresql" })
class StalledHolderTests {

	@Test
	@Timeout(180)
	void holderThatWasStoppedWritesNothingAndKnowsItSoon() throws Exception {
		PGSimpleDataSource database = PostgresServer.freshDatabase();
		JdbcTemplate jdbc = new JdbcTemplate(database);
		jdbc.execute("CREATE TABLE stock (amount int)");
		jdbc.update("INSERT INTO stock VALUES (0)");
		String[] args = { String.valueOf(RedisServer.shared().port()), database.getURL(), database.getUser() };
		Process holder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Dspring.docker.compose.enabled=false", "-cp", System.getProperty("java.class.path"),
				StalledHolder.class.getName(), args[0], args[1], args[2])
			.redirectErrorStream(true)
			.start();
		try (ConfigurableApplicationContext other = StalledHolder.start(args);
				BufferedReader output = holder.inputReader()) {
			assertThat(next(output)).isEqualTo("holds");
			long stopped = System.nanoTime();
			signal(holder, "STOP");
			LockRequest request = LockRequest.of("stock")
				.withMode(LockMode.CORRECTNESS)
				.withWaitTime(Duration.ofSeconds(30));
			other.getBean(LockTemplate.class).execute(request, (lease) -> {
				other.getBean(StalledHolder.Stock.class).write(2);
				return null;
			});
			await().until(() -> System.nanoTime() - stopped > StalledHolder.TTL.multipliedBy(2).toNanos());
			signal(holder, "CONT");
			assertThat(next(output)).isEqualTo("StaleFencingTokenException");
			assertThat(Long.parseLong(next(output))).isLessThanOrEqualTo(StalledHolder.TTL.toMillis() / 3);
			assertThat(next(output)).isEqualTo("lost");
		}
		finally {
			holder.destroyForcibly().waitFor();
		}
		assertThat(jdbc.queryForObject("SELECT amount FROM stock", Integer.class)).isEqualTo(2);
	}

	private static String next(BufferedReader output) throws IOException {
		StringBuilder log = new StringBuilder();
		for (String line = output.readLine(); line != null; line = output.readLine()) {
			if (line.startsWith(StalledHolder.MARK)) {
				return line.substring(StalledHolder.MARK.length());
			}
			log.append(line).append('\n');
		}
		throw new IllegalStateException("The holder has ended: " + log);
	}

	private static void signal(Process process, String signal) throws IOException, InterruptedException {
		assertThat(new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start().waitFor()).isZero();
	}

}
