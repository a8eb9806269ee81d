package org.lockspring.benchmarks;

import java.time.Duration;

import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;

/**
 * What one acquisition and release cost when nobody else wants the lock: numbers that do
 * not depend on the machine.
 *
 * @param requests how many commands the client sends
 * @param executed how many commands Redis executes, with those of scripts
 * @param roundTrips how many answers, one after the other, the caller waits for
 */
record CommandCount(double requests, double executed, double roundTrips) {

	private static final int PAIRS = 200;

	private static final int DELAYED_PAIRS = 10;

	private static final Duration DELAY = Duration.ofMillis(50);

	private static final Runnable NOTHING = () -> {
	};

	static CommandCount of(Contestants kind, RedisServer server) throws Exception {
		try (FaultProxy proxy = FaultProxy.to(server);
				Contestant contestant = kind.start(proxy.port(), Contestants.TTL);
				CommandMonitor monitor = CommandMonitor.start(server.port())) {
			// Scripts are sent in full the first time
			contestant.locked("warm", NOTHING);
			contestant.locked("warm", NOTHING);
			settle(monitor);
			server.command("CONFIG", "RESETSTAT");
			int before = monitor.requests();
			for (int i = 0; i < PAIRS; i++) {
				contestant.locked("order:" + i, NOTHING);
			}
			settle(monitor);
			double requests = (monitor.requests() - before) / (double) PAIRS;
			double executed = executed(server) / (double) PAIRS;
			return new CommandCount(requests, executed, roundTrips(contestant, proxy));
		}
	}

	/** Some send what nobody waits for. */
	private static void settle(CommandMonitor monitor) throws InterruptedException {
		int seen = -1;
		while (seen != monitor.requests()) {
			seen = monitor.requests();
			Thread.sleep(100);
		}
	}

	private static long executed(RedisServer server) {
		return String.valueOf(server.command("INFO", "commandstats"))
			.lines()
			.filter((line) -> line.startsWith("cmdstat_") && !line.startsWith("cmdstat_info")
					&& !line.startsWith("cmdstat_config"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(','))))
			.sum();
	}

	/**
	 * With every answer late by a known time, the time of a pair tells their number.
	 * Whatever else takes time on this machine only adds to it: the shortest counts.
	 */
	private static double roundTrips(Contestant contestant, FaultProxy proxy) throws InterruptedException {
		proxy.delayReplies(DELAY);
		long shortest = Long.MAX_VALUE;
		for (int i = 0; i < DELAYED_PAIRS; i++) {
			long start = System.nanoTime();
			contestant.locked("late:" + i, NOTHING);
			shortest = Math.min(shortest, System.nanoTime() - start);
			// An answer that nobody waits for must not hold up the next one
			Thread.sleep(2 * DELAY.toMillis());
		}
		proxy.heal();
		return Math.floorDiv(shortest, DELAY.toNanos());
	}

}
