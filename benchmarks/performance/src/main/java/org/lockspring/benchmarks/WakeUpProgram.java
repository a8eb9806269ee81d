package org.lockspring.benchmarks;

import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * One of two programs that pass a lock to each other: one holds it, the other waits.
 */
final class WakeUpProgram {

	private static final String KEY = "wake";

	/** The round whose lock is held. */
	private static final int HELD = 0;

	/** The round whose waiter is about to ask. */
	private static final int ASKING = 1;

	/** The round whose waiter has been inside. */
	private static final int DONE = 2;

	/**
	 * When the body of the holder ended, on the monotonic clock, which is the machine's.
	 */
	private static final int ENDED = 3;

	/** The round from which on is measured; none yet if it is zero. */
	private static final int MEASURED = 4;

	private final Contestant contestant;

	private final SharedNumbers shared;

	private final int rounds;

	private final long warmup;

	private WakeUpProgram(Contestant contestant, SharedNumbers shared, int rounds, long warmup) {
		this.contestant = contestant;
		this.shared = shared;
		this.rounds = rounds;
		this.warmup = TimeUnit.MILLISECONDS.toNanos(warmup);
	}

	/**
	 * Run.
	 * @param args contestant, port, file of the shared numbers, rounds, time to warm up
	 * in ms, "hold" or "wait"
	 */
	public static void main(String[] args) throws InterruptedException {
		int port = Integer.parseInt(args[1]);
		try (Contestant contestant = Contestants.valueOf(args[0]).start(port, Contestants.TTL);
				RawLettuce raw = new RawLettuce(port, Contestants.TTL, true)) {
			Check.locks(contestant, port);
			Warmup.run(contestant);
			WakeUpProgram program = new WakeUpProgram(contestant, new SharedNumbers(Path.of(args[2])),
					Integer.parseInt(args[3]), Long.parseLong(args[4]));
			Jvm.tell("ready");
			Jvm.awaitInput();
			if (args[5].equals("hold")) {
				program.hold();
			}
			else {
				program.await(raw);
			}
		}
	}

	private void hold() throws InterruptedException {
		long start = System.nanoTime();
		int first = 0;
		for (int round = 1; first == 0 || round < first + this.rounds; round++) {
			int current = round;
			if (first == 0 && System.nanoTime() - start > this.warmup) {
				first = round;
				this.shared.set(MEASURED, first);
			}
			// Long enough to be waited for; at any moment between two polls
			long pause = (first > 0) ? 60 + ThreadLocalRandom.current().nextInt(100) : 3;
			this.contestant.locked(KEY, () -> {
				this.shared.set(HELD, current);
				reach(ASKING, current);
				sleep(pause);
				this.shared.set(ENDED, System.nanoTime());
			});
			reach(DONE, current);
		}
		Jvm.tell("done");
	}

	/** Tells the wake-up and a round trip of each measured round in ms. */
	private void await(RawLettuce raw) throws InterruptedException {
		StringBuilder numbers = new StringBuilder();
		int measured = 0;
		for (int round = 1; measured < this.rounds; round++) {
			reach(HELD, round);
			boolean counts = this.shared.get(MEASURED) > 0;
			if (counts) {
				// As rarely used as the lock's own connection
				sleep(20);
				measured++;
			}
			long sent = System.nanoTime();
			raw.ping();
			long roundTrip = System.nanoTime() - sent;
			this.shared.set(ASKING, round);
			long[] entered = new long[1];
			this.contestant.locked(KEY, () -> entered[0] = System.nanoTime());
			if (counts) {
				numbers.append((entered[0] - this.shared.get(ENDED)) / 1e6)
					.append(' ')
					.append(roundTrip / 1e6)
					.append(' ');
			}
			this.shared.set(DONE, round);
		}
		Jvm.tell(numbers.toString().trim());
	}

	private void reach(int index, long value) {
		while (this.shared.get(index) < value) {
			sleep(1);
		}
	}

	private static void sleep(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
