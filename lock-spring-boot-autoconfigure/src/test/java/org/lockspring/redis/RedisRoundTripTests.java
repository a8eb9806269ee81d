package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** How many commands the server sees. */
@UsesServer("redis")
class RedisRoundTripTests {

	private final RedisServer server = RedisServer.start();

	private final RedisDriver.Process process = RedisDriver.LETTUCE.process(this.server.port());

	private final LockTemplate template = new LockTemplate(this.process.backend(), new LockSettings("app"));

	@AfterEach
	void close() {
		this.template.close();
		this.process.close();
		this.server.close();
	}

	@ParameterizedTest
	@CsvSource({ "EFFICIENCY, 0.3", "CORRECTNESS, 1.1" })
	void sixteenThreadsOfOneProcessThatWantOneLockPassItOn(LockMode mode, double most) throws InterruptedException {
		LockRequest request = LockRequest.of("k").withMode(mode).withWaitTime(Duration.ofMinutes(1));
		this.template.execute(request, (lease) -> null);
		await().until(() -> Long.valueOf(0).equals(this.server.command("EXISTS", "app:{k}")));
		this.server.command("CONFIG", "RESETSTAT");
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			threads.add(new Thread(() -> {
				for (int round = 0; round < 500; round++) {
					this.template.execute(request, (lease) -> null);
				}
			}));
		}
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
		// Scripts use SET too
		double commands = ((mode == LockMode.EFFICIENCY) ? calls("set") : 0) + calls("evalsha") + calls("eval")
				+ calls("subscribe") + calls("unsubscribe");
		assertThat(commands / 8000).isLessThan(most);
	}

	@Test
	void tenThousandLeasesAreRenewedWithAHundredAndTenCommands() {
		Duration ttl = Duration.ofSeconds(30);
		List<LockLease> leases = new ArrayList<>();
		try {
			for (int i = 0; i < 10_000; i++) {
				LockRequest request = LockRequest.of("k" + i).withMode(LockMode.values()[i % 2]).withTtl(ttl);
				leases.add(this.template.acquire(request));
			}
			this.server.command("CONFIG", "RESETSTAT");
			double first = commandsForTenThousand(ttl);
			this.server.command("CONFIG", "RESETSTAT");
			double second = commandsForTenThousand(ttl);
			assertThat(first).as("in the first interval").isLessThanOrEqualTo(110);
			assertThat(second).as("in the second interval").isLessThanOrEqualTo(110);
			assertThat(leases).allMatch(LockLease::isValid);
		}
		finally {
			leases.forEach(LockLease::close);
		}
	}

	/** What is renewed already for the next time while this looks is counted in. */
	private double commandsForTenThousand(Duration atMost) {
		await().atMost(atMost).pollInterval(Duration.ofMillis(500)).until(() -> calls("pexpire") >= 10_000);
		return (calls("evalsha") + calls("eval")) * 10_000.0 / calls("pexpire");
	}

	private long calls(String command) {
		String stat = this.server.info("cmdstat_" + command);
		return stat.isEmpty() ? 0 : Long.parseLong(stat.substring("calls=".length(), stat.indexOf(',')));
	}

}
