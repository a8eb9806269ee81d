package org.lockspring.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.lockspring.redis.RedisLockBackend;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.RespConnection;
import org.lockspring.testing.UsesServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Everything at once: two processes, many threads, few keys, both modes, with delays,
 * interrupts, losses, re-entries, and leases that others close. Set {@code -Dstorm.seed}
 * to the seed of a run to have the same decisions again.
 */
@UsesServer("redis")
class LockStormTests {

	private static final Log logger = LogFactory.getLog(LockStormTests.class);

	private static final int ACQUISITIONS = Integer.getInteger("storm.acquisitions", 100_000);

	private static final int THREADS = 6;

	private static final int KEYS = 24;

	@Test
	@Timeout(300)
	void nothingOverlapsAndNothingIsLeft() throws Exception {
		long seed = Long.getLong("storm.seed", System.nanoTime());
		logger.info("The seed of this storm is " + seed);
		Set<Thread> before = locksThreads();
		long start = System.nanoTime();
		try (RedisServer server = RedisServer.start()) {
			StormLog log = new StormLog(KEYS);
			try (Process one = new Process(server); Process two = new Process(server)) {
				storm(seed, log, server, one, two);
				// Much sooner than the longest ttl
				await().atMost(Duration.ofSeconds(3)).untilAsserted(() -> assertThat(entries(server)).isEmpty());
				await().atMost(Duration.ofSeconds(3)).until(() -> one.template.isIdle() && two.template.isIdle());
				assertThat(server.info("cmdstat_pexpire")).as("renewals").isNotEmpty();
				logger.info(log + " in " + Duration.ofNanos(System.nanoTime() - start));
			}
			assertThat(log.violations()).as("seed " + seed).isEmpty();
			assertThat(log.acquisitions()).isGreaterThanOrEqualTo(ACQUISITIONS);
			await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
				Set<Thread> left = locksThreads();
				left.removeAll(before);
				assertThat(left).isEmpty();
			});
		}
	}

	private static void storm(long seed, StormLog log, RedisServer server, Process... processes) throws Exception {
		Random seeds = new Random(seed);
		List<StormWorker> workers = new ArrayList<>();
		for (int i = 0; i < THREADS * processes.length; i++) {
			workers.add(new StormWorker(processes[i % processes.length].template, log, new Random(seeds.nextLong()),
					ACQUISITIONS));
		}
		workers.forEach(Thread::start);
		Random random = new Random(seeds.nextLong());
		try (RespConnection connection = server.connect(Duration.ofSeconds(5))) {
			while (workers.stream().anyMatch(Thread::isAlive)) {
				workers.get(random.nextInt(workers.size())).disturb();
				if (random.nextInt(20) == 0) {
					int key = random.nextInt(KEYS);
					log.injecting(key);
					if (random.nextBoolean()) {
						connection.command("DEL", "storm:{" + key + "}");
					}
					else {
						connection.command("PEXPIRE", "storm:{" + key + "}", "1");
					}
				}
				TimeUnit.MILLISECONDS.sleep(random.nextInt(4));
			}
		}
		for (StormWorker worker : workers) {
			worker.join();
		}
	}

	private static List<String> entries(RedisServer server) {
		List<?> keys = (List<?>) server.command("KEYS", "*");
		return keys.stream().map(String::valueOf).filter((key) -> !key.endsWith(":fence")).toList();
	}

	private static Set<Thread> locksThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lock-"))
			.collect(Collectors.toSet());
	}

	/** What one application has. */
	private static final class Process implements AutoCloseable {

		private final LettuceConnectionFactory connections;

		private final RedisLockBackend backend;

		private final LockTemplate template;

		Process(RedisServer server) {
			this.connections = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration(server.host(), server.port()),
					LettuceClientConfiguration.builder().shutdownTimeout(Duration.ZERO).build());
			this.connections.afterPropertiesSet();
			this.connections.start();
			this.backend = new RedisLockBackend(this.connections, Duration.ofDays(7), "storm");
			this.template = new LockTemplate(this.backend, new LockSettings("storm"));
		}

		@Override
		public void close() {
			this.template.close();
			this.backend.close();
			this.connections.destroy();
		}

	}

}
