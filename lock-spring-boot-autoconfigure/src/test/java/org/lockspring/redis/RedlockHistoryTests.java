package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.redis.RedlockHistory.Acquired;
import org.lockspring.testing.RedisServers;
import org.lockspring.testing.SteppedClock;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that take one lock again and again on five servers, while a nemesis stops
 * servers, kills them so that they restart empty, and cuts, delays and swallows what is
 * sent. {@code -Dredlock.history.seconds} makes it longer, {@code -Dredlock.history.seed}
 * repeats a schedule of faults.
 */
@UsesServer("redis")
class RedlockHistoryTests {

	private static final int CLIENTS = 4;

	private static final Duration TTL = Duration.ofMillis(1500);

	private static final Duration QUARANTINE = Duration.ofSeconds(2);

	private static final Duration DURATION = Duration.ofSeconds(Integer.getInteger("redlock.history.seconds", 12));

	private final long seed = Long.getLong("redlock.history.seed", System.nanoTime());

	private final RedlockHistory history = new RedlockHistory();

	private final List<RedlockBackend> backends = new ArrayList<>();

	private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);

	private RedisServers servers;

	private volatile boolean stopped;

	private void start(RedisServers servers) {
		this.servers = servers;
		RedlockSettings settings = Redlocks.withQuarantine(Redlocks.settings(this.servers.proxyUris(), true),
				QUARANTINE);
		for (int i = 0; i < CLIENTS; i++) {
			this.backends.add(new RedlockBackend(settings, null));
		}
	}

	@AfterEach
	void stop() {
		this.stopped = true;
		this.threads.shutdownNow();
		this.backends.forEach(RedlockBackend::close);
		this.servers.close();
	}

	@Test
	void tokensAreUniqueAndRiseAndNobodyOverlapsWhateverFails() throws Exception {
		start(RedisServers.start(5));
		run(Nemesis.WITHOUT_CLOCKS);
		this.history.assertNoOverlap();
	}

	/** Exclusion needs the clocks, tokens do not. */
	@Test
	void tokensAreUniqueAndRiseWhateverTheClocksDo() throws Exception {
		assumeThat(SteppedClock.isAvailable()).as("a C compiler").isTrue();
		start(RedisServers.startWithClocks(5));
		run(Nemesis.WITHOUT_RESTARTS);
	}

	private void run(List<Integer> faults) throws Exception {
		List<Future<?>> clients = new ArrayList<>();
		for (int i = 0; i < CLIENTS; i++) {
			int client = i;
			clients.add(this.threads.submit(() -> work(client, new Random(this.seed + client))));
		}
		int done = new Nemesis(this.servers, new Random(this.seed), faults).run(DURATION);
		this.stopped = true;
		for (Future<?> client : clients) {
			client.get(10, TimeUnit.SECONDS);
		}
		System.out.println(
				"Redlock history, seed %d: %d acquisitions, %d faults".formatted(this.seed, this.history.size(), done));
		assertThat(done).isGreaterThan(5);
		assertThat(this.history.size()).isGreaterThan(20);
		this.history.assertTokensUnique();
		this.history.assertTokensRise();
		await().untilAsserted(() -> assertThat(this.servers.keys("app:*")).isEmpty());
		await().ignoreExceptions()
			.until(() -> this.backends.get(0).tryAcquire(attempt()), Acquisition.Granted.class::isInstance);
	}

	private void work(int client, Random random) {
		RedlockBackend backend = this.backends.get(client);
		while (!this.stopped) {
			long begun = System.nanoTime();
			try {
				if (backend.tryAcquire(attempt()) instanceof Acquisition.Granted granted) {
					hold(client, granted.lease(), begun, random);
				}
			}
			catch (LockUnavailableException ex) {
				// Less than a quorum takes part now
			}
			pause(random, 5);
		}
	}

	private void hold(int client, BackendLease lease, long begun, Random random) {
		long decided = System.nanoTime();
		if (decided - lease.validUntil() < 0) {
			pause(random, 10);
			if (random.nextInt(10) == 0) {
				renew(lease);
			}
			long ended = System.nanoTime();
			this.history.add(new Acquired(client, lease.fencingToken().value(), begun, decided,
					(ended - lease.validUntil() < 0) ? ended : lease.validUntil()));
		}
		if (random.nextInt(50) > 0) {
			lease.release();
		}
	}

	private static void renew(BackendLease lease) {
		try {
			lease.renew(TTL);
		}
		catch (LockUnavailableException ex) {
			// It lasts as long as it did
		}
	}

	private static void pause(Random random, int longestMillis) {
		try {
			Thread.sleep(random.nextInt(longestMillis));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static LockAttempt attempt() {
		return new LockAttempt("app:{k}", UUID.randomUUID().toString(), LockMode.CORRECTNESS, TTL, "'k'");
	}

	/**
	 * Makes at most two of five servers fail at a time, and at most one of them forget
	 * within a quarantine.
	 */
	private static final class Nemesis {

		static final List<Integer> WITHOUT_CLOCKS = List.of(0, 1, 2, 3, 4, 5);

		static final List<Integer> WITHOUT_RESTARTS = List.of(0, 2, 3, 4, 5, 6, 6, 6);

		private final RedisServers servers;

		private final Random random;

		private final List<Integer> faults;

		private long forgot = System.nanoTime() - QUARANTINE.toNanos();

		Nemesis(RedisServers servers, Random random, List<Integer> faults) {
			this.servers = servers;
			this.random = random;
			this.faults = faults;
		}

		int run(Duration duration) throws InterruptedException {
			long end = System.nanoTime() + duration.toNanos();
			int faults = 0;
			while (System.nanoTime() - end < 0) {
				fail(this.random.nextInt(this.servers.size()));
				faults++;
				Thread.sleep(100 + this.random.nextInt(200));
			}
			for (int i = 0; i < this.servers.size(); i++) {
				this.servers.proxy(i).heal();
				if (this.faults == WITHOUT_RESTARTS) {
					this.servers.clock(i).step(Duration.ofHours(1));
				}
			}
			return faults;
		}

		private void fail(int victim) throws InterruptedException {
			switch (this.faults.get(this.random.nextInt(this.faults.size()))) {
				case 0 -> {
					this.servers.server(victim).pause();
					Thread.sleep(this.random.nextInt(700));
					this.servers.server(victim).resume();
				}
				case 1 -> {
					if (System.nanoTime() - this.forgot > 2 * QUARANTINE.toNanos()) {
						this.servers.server(victim).restart();
						this.forgot = System.nanoTime();
					}
				}
				case 2 -> this.servers.proxy(victim).cutAll();
				case 3 -> this.servers.proxy(victim).swallowReplies(1 + this.random.nextInt(3));
				case 4 -> {
					this.servers.proxy(victim).delayReplies(Duration.ofMillis(this.random.nextInt(400)));
					Thread.sleep(this.random.nextInt(500));
					this.servers.proxy(victim).heal();
				}
				case 5 -> {
					this.servers.proxy(victim).holdRequests();
					Thread.sleep(this.random.nextInt(500));
					this.servers.proxy(victim).releaseRequests();
				}
				default -> this.servers.clock(victim).step(Duration.ofMillis(this.random.nextInt(-5000, 5000)));
			}
		}

	}

}
