package org.lockspring.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * From the end of one JVM's body to the start of the next one's in another JVM.
 */
final class WakeUp implements Workload {

	static final String LATENCY = "wake-up";

	static final String ROUND_TRIPS = "in round trips";

	/**
	 * In ms. Otherwise what wakes the waiter would be measured while it is interpreted.
	 */
	private static final int WARMUP = 5_000;

	@Override
	public String id() {
		return "wake-up";
	}

	@Override
	public String title() {
		return "Wake-up of a waiter in another JVM";
	}

	@Override
	public String charted() {
		return LATENCY;
	}

	@Override
	public void run(Session session) throws Exception {
		for (Contestants contestant : session.among(Contestants.waiting())) {
			session.redis().flush();
			measure(session, contestant, session.smoke() ? 3 : 60);
		}
	}

	private void measure(Session session, Contestants contestant, int rounds) throws Exception {
		Path file = Files.createTempFile("wake-up", "");
		int port = session.redis().port();
		int warmup = session.smoke() ? 200 : WARMUP;
		try (Jvm holder = Jvm.start(WakeUpProgram.class, contestant, port, file, rounds, warmup, "hold")) {
			holder.await();
			try (Jvm waiter = Jvm.start(WakeUpProgram.class, contestant, port, file, rounds, warmup, "wait")) {
				waiter.await();
				holder.go();
				waiter.go();
				report(session, contestant, waiter.awaitNumbers());
			}
		}
		finally {
			Files.delete(file);
		}
	}

	private void report(Session session, Contestants contestant, double[] numbers) {
		List<Double> latencies = new ArrayList<>();
		List<Double> roundTrips = new ArrayList<>();
		for (int i = 0; i < numbers.length; i += 2) {
			latencies.add(numbers[i]);
			roundTrips.add(numbers[i + 1]);
		}
		double roundTrip = new Measurement(id(), "", "", "ms", roundTrips).median();
		session.results().add(id(), contestant.title(), LATENCY, "ms", latencies);
		session.results().add(id(), contestant.title(), "one round trip", "ms", roundTrips);
		session.results()
			.add(id(), contestant.title(), ROUND_TRIPS, "p50",
					new Measurement(id(), "", "", "ms", latencies).median() / roundTrip);
	}

}
