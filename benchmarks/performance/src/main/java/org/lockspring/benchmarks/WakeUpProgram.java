package org.lockspring.benchmarks;

import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

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

	private final Contestant contestant;

	private final SharedNumbers shared;

	private final int rounds;

	private WakeUpProgram(Contestant contestant, SharedNumbers shared, int rounds) {
		this.contestant = contestant;
		this.shared = shared;
		this.rounds = rounds;
	}

	/**
	 * Run.
	 * @param args contestant, port, file of the shared numbers, rounds, "hold" or "wait"
	 */
	public static void main(String[] args) throws InterruptedException {
		int port = Integer.parseInt(args[1]);
		try (Contestant contestant = Contestants.valueOf(args[0]).start(port, Contestants.TTL);
				RawLettuce raw = new RawLettuce(port, Contestants.TTL, true)) {
			for (int i = 0; i < 200; i++) {
				Check.locks(contestant, port);
			}
			WakeUpProgram program = new WakeUpProgram(contestant, new SharedNumbers(Path.of(args[2])),
					Integer.parseInt(args[3]));
			Jvm.tell("ready");
			Jvm.awaitInput();
			if (args[4].equals("hold")) {
				program.hold();
			}
			else {
				program.await(raw);
			}
		}
	}

	private void hold() throws InterruptedException {
		for (int round = 1; round <= this.rounds; round++) {
			int current = round;
			this.contestant.locked(KEY, () -> {
				this.shared.set(HELD, current);
				reach(ASKING, current);
				// Long enough to be waited for; at any moment between two polls
				sleep(60 + ThreadLocalRandom.current().nextInt(100));
				this.shared.set(ENDED, System.nanoTime());
			});
			reach(DONE, current);
		}
		Jvm.tell("done");
	}

	/** Tells the wake-up and a round trip of each round in ms. */
	private void await(RawLettuce raw) throws InterruptedException {
		StringBuilder numbers = new StringBuilder();
		for (int round = 1; round <= this.rounds; round++) {
			reach(HELD, round);
			// As rarely used as the lock's own connection
			sleep(20);
			long sent = System.nanoTime();
			raw.ping();
			long roundTrip = System.nanoTime() - sent;
			this.shared.set(ASKING, round);
			long[] entered = new long[1];
			this.contestant.locked(KEY, () -> entered[0] = System.nanoTime());
			numbers.append((entered[0] - this.shared.get(ENDED)) / 1e6).append(' ').append(roundTrip / 1e6).append(' ');
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
