package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.testing.RedisServers;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that ask at the same moment take votes from each other.
 */
@UsesServer("redis")
class RedlockContentionTests {

	private static final int CLIENTS = 8;

	private static final int ROUNDS = 50;

	@Test
	void ofEightClientsThatTryOnceOneSucceedsInNineOfTenRounds() throws Exception {
		List<RedlockBackend> clients = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
		try (RedisServers servers = RedisServers.start(5)) {
			for (int i = 0; i < CLIENTS; i++) {
				clients.add(Redlocks.bootstrapped(servers.uris()));
			}
			int successful = 0;
			for (int round = 0; round < ROUNDS; round++) {
				CyclicBarrier start = new CyclicBarrier(CLIENTS);
				List<Callable<Acquisition>> tries = new ArrayList<>();
				for (RedlockBackend client : clients) {
					LockAttempt attempt = new LockAttempt("app:{k" + round + "}", UUID.randomUUID().toString(),
							LockMode.CORRECTNESS, Duration.ofMinutes(1), "'k'");
					tries.add(() -> {
						start.await();
						return client.tryAcquire(attempt);
					});
				}
				List<BackendLease> held = new ArrayList<>();
				for (Future<Acquisition> each : threads.invokeAll(tries)) {
					if (each.get() instanceof Acquisition.Granted granted) {
						held.add(granted.lease());
					}
				}
				assertThat(held).hasSizeLessThan(2);
				successful += held.size();
			}
			System.out.println("MARK successful " + successful + " of " + ROUNDS);
			assertThat(successful).isGreaterThanOrEqualTo(ROUNDS * 9 / 10);
		}
		finally {
			threads.shutdownNow();
			clients.forEach(RedlockBackend::close);
		}
	}

}
