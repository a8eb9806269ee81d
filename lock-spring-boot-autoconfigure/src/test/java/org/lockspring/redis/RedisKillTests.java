package org.lockspring.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.lockspring.LockException;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.TestJvm;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** No entry without an end, whenever its client is killed. */
@UsesServer("redis")
class RedisKillTests {

	private static final int PROCESSES = Integer.getInteger("lock.test.kills", 4);

	private final RedisServer server = RedisServer.start();

	@AfterEach
	void close() {
		this.server.close();
	}

	@Test
	void processIsKilledAtRandomMoments() {
		for (int i = 0; i < PROCESSES; i++) {
			try (TestJvm worker = TestJvm.start(KilledWorker.class, String.valueOf(this.server.port()))) {
				worker.await(Duration.ofSeconds(60), () -> !isEmpty("app:*:fence"));
				pause();
				worker.kill();
			}
			assertEveryEntryEnds();
			await().until(() -> isEmpty("app:{k?}"));
			this.server.flush();
		}
	}

	@Test
	void connectionIsKilledAtTwoHundredRandomMoments() throws InterruptedException {
		AtomicBoolean end = new AtomicBoolean();
		try (RedisDriver.Process process = RedisDriver.LETTUCE.process(this.server.port());
				LockTemplate template = new LockTemplate(process.backend(), new LockSettings("app"))) {
			Thread caller = new Thread(() -> {
				while (!end.get()) {
					try {
						KilledWorker.round(template);
					}
					catch (LockException ex) {
						// Its connection was killed
					}
				}
			});
			caller.start();
			for (int i = 0; i < 200; i++) {
				pause();
				this.server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
				assertEveryEntryEnds();
			}
			end.set(true);
			caller.join();
		}
		await().until(() -> isEmpty("app:{k?}"));
	}

	private boolean isEmpty(String names) {
		return ((List<?>) this.server.command("KEYS", names)).isEmpty();
	}

	private static void pause() {
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(Duration.ofMillis(30).toNanos()));
	}

	private void assertEveryEntryEnds() {
		for (Object name : (List<?>) this.server.command("KEYS", "app:*")) {
			assertThat((Long) this.server.command("PTTL", name.toString())).as(name.toString()).isNotEqualTo(-1L);
		}
	}

}
