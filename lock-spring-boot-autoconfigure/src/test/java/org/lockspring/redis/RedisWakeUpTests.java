package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What lies between the release of one process and the body of the next. */
@UsesServer("redis")
class RedisWakeUpTests {

	@ParameterizedTest
	@EnumSource
	void releaseAndMessageAndAcquisition(LockMode mode) throws Exception {
		LockRequest request = LockRequest.of("k").withMode(mode).withWaitTime(Duration.ofMinutes(1));
		List<Long> commands = new ArrayList<>();
		try (RedisServer server = RedisServer.start();
				RedisDriver.Process one = RedisDriver.LETTUCE.process(server.port());
				RedisDriver.Process two = RedisDriver.LETTUCE.process(server.port());
				LockTemplate here = new LockTemplate(one.backend(), new LockSettings("app"));
				LockTemplate there = new LockTemplate(two.backend(), new LockSettings("app"))) {
			for (int round = 0; round < 6; round++) {
				LockLease held = here.acquire(request);
				server.command("CONFIG", "RESETSTAT");
				CountDownLatch inside = new CountDownLatch(1);
				CountDownLatch mayEnd = new CountDownLatch(1);
				CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> there.execute(request, (lease) -> {
					inside.countDown();
					await().until(() -> mayEnd.getCount() == 0);
					return null;
				}), (task) -> new Thread(task).start());
				// Busy, listening, and busy once more
				await().until(() -> tries(server, mode) >= 2);
				server.command("CONFIG", "RESETSTAT");
				held.close();
				inside.await();
				commands.add(calls(server, "evalsha") + calls(server, "eval")
						+ ((mode == LockMode.EFFICIENCY) ? calls(server, "set") : 0));
				mayEnd.countDown();
				waiting.join();
				await().until(() -> Long.valueOf(0).equals(server.command("EXISTS", "app:{k}")));
			}
		}
		// A timer may fall in between
		assertThat(commands).contains(2L).allMatch((count) -> count <= 5);
	}

	@ParameterizedTest
	@EnumSource
	void hundredWaitersAskTheStoreHardlyMoreOftenThanOne(LockMode mode) {
		LockRequest request = LockRequest.of("k").withMode(mode).withWaitTime(Duration.ofSeconds(4));
		try (RedisServer server = RedisServer.start();
				RedisDriver.Process one = RedisDriver.LETTUCE.process(server.port());
				RedisDriver.Process two = RedisDriver.LETTUCE.process(server.port());
				LockTemplate here = new LockTemplate(one.backend(), new LockSettings("app"));
				LockTemplate there = new LockTemplate(two.backend(), new LockSettings("app"));
				LockLease held = here.acquire(request)) {
			assertThat(held.isValid()).isTrue();
			server.command("CONFIG", "RESETSTAT");
			List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
			// Who has time left when its turn comes asks twice: all give up together
			Phaser started = new Phaser(100);
			for (int i = 0; i < 100; i++) {
				waiters.add(CompletableFuture.supplyAsync(() -> {
					started.arriveAndAwaitAdvance();
					return there.tryExecute(request, (lease) -> "obtained").isPresent();
				}, (task) -> new Thread(task).start()));
			}
			assertThat(waiters).allSatisfy((waiter) -> assertThat(waiter.join()).isFalse());
			// Each may get the turn in its last moment, and asks once
			assertThat(tries(server, mode)).isBetween(5L, 130L);
		}
	}

	private static long tries(RedisServer server, LockMode mode) {
		return (mode == LockMode.EFFICIENCY) ? calls(server, "set") : calls(server, "evalsha") + calls(server, "eval");
	}

	private static long calls(RedisServer server, String command) {
		String stat = server.info("cmdstat_" + command);
		return stat.isEmpty() ? 0 : Long.parseLong(stat.substring("calls=".length(), stat.indexOf(',')));
	}

}
