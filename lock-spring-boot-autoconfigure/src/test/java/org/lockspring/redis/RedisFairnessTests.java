package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.LockMode;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.TestJvm;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several instances of an application whose threads all want one lock, without a pause.
 * For how long is said by {@code -Dlock.test.fairness-seconds}.
 */
@UsesServer("redis")
class RedisFairnessTests {

	private static final int INSTANCES = 4;

	private static final Duration WARM_UP = Duration.ofSeconds(3);

	private static final Duration TIME = Duration.ofSeconds(Long.getLong("lock.test.fairness-seconds", 8));

	/** Chance counts for more in a short time. */
	private static final long LEAST_PERCENT = (TIME.toSeconds() < 30) ? 7 : 15;

	@ParameterizedTest
	@EnumSource
	void everyInstanceHasAFairShareAndNoTwoThreadsAreInside(LockMode mode) {
		try (RedisServer server = RedisServer.start()) {
			List<TestJvm> instances = new ArrayList<>();
			try {
				for (int i = 0; i < INSTANCES; i++) {
					instances.add(TestJvm.start(FairnessWorker.class, String.valueOf(server.port()), mode.name()));
				}
				instances.get(0)
					.await(Duration.ofMinutes(2),
							() -> String.valueOf(INSTANCES).equals(server.command("GET", FairnessWorker.READY)));
				long start = System.nanoTime() + WARM_UP.toNanos();
				server.command("SET", FairnessWorker.WINDOW, start + " " + (start + TIME.toNanos()));
				instances.forEach((instance) -> instance.awaitEnd(TIME.plusMinutes(2)));
			}
			finally {
				instances.forEach(TestJvm::close);
			}
			List<Long> counts = counts(server);
			System.out.println(mode + " for " + TIME.toSeconds() + " s: " + counts);
			assertThat(server.command("GET", FairnessWorker.OVERLAPS)).as("threads inside at once").isNull();
			long fair = counts.stream().mapToLong(Long::longValue).sum() * LEAST_PERCENT / 100;
			assertThat(counts).hasSize(INSTANCES)
				.allSatisfy((count) -> assertThat(count).isPositive().isGreaterThanOrEqualTo(fair));
			assertThat(server.command("EXISTS", "app:{k}")).isEqualTo(0L);
		}
	}

	private static List<Long> counts(RedisServer server) {
		List<?> counts = (List<?>) server.command("LRANGE", FairnessWorker.COUNTS, "0", "-1");
		return counts.stream().map((count) -> Long.valueOf(count.toString())).toList();
	}

}
