package org.lockspring.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Threads that all want one lock, without a pause, as those of other JVMs do.
 */
final class HotKeyProgram {

	private static final String KEY = "hot";

	private static final int INSIDE = 0;

	private final Contestant contestant;

	private final SharedNumbers shared;

	private volatile long from;

	private volatile long until;

	private HotKeyProgram(Contestant contestant, SharedNumbers shared) {
		this.contestant = contestant;
		this.shared = shared;
	}

	/**
	 * Measure.
	 * @param args contestant, port, threads, file of the shared numbers, time to warm up
	 * and to measure in ms
	 */
	public static void main(String[] args) throws InterruptedException {
		int port = Integer.parseInt(args[1]);
		try (Contestant contestant = Contestants.valueOf(args[0]).start(port, Contestants.TTL)) {
			Check.locks(contestant, port);
			Warmup.run(contestant);
			HotKeyProgram program = new HotKeyProgram(contestant, new SharedNumbers(Path.of(args[3])));
			Jvm.tell("ready");
			Jvm.awaitInput();
			program.from = System.nanoTime() + Long.parseLong(args[4]) * 1_000_000;
			program.until = program.from + Long.parseLong(args[5]) * 1_000_000;
			program.run(Integer.parseInt(args[2]));
			Jvm.awaitInput();
			Check.locks(contestant, port);
		}
	}

	/** Tells the number of acquisitions, and of the waits the median, p99 and longest. */
	private void run(int threads) throws InterruptedException {
		List<Waits> all = new ArrayList<>();
		List<Thread> running = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Waits waits = new Waits();
			all.add(waits);
			Thread thread = new Thread(() -> compete(waits));
			running.add(thread);
			thread.start();
		}
		for (Thread thread : running) {
			thread.join();
		}
		long[] sorted = all.stream().flatMapToLong(Waits::stream).sorted().toArray();
		Jvm.tell(sorted.length + " " + percentile(sorted, 50) + " " + percentile(sorted, 99) + " "
				+ percentile(sorted, 100));
	}

	private static double percentile(long[] sorted, int percent) {
		return (sorted.length > 0) ? sorted[(int) ((sorted.length - 1L) * percent / 100)] / 1e6 : Double.NaN;
	}

	private void compete(Waits waits) {
		// Ends together with the others, or some would be alone at the end
		while (System.nanoTime() - this.until < 0) {
			long asked = System.nanoTime();
			this.contestant.locked(KEY, () -> {
				Contestant.require(this.shared.add(INSIDE, 1) == 1, "two threads are inside");
				long entered = System.nanoTime();
				if (entered - this.from >= 0 && entered - this.until < 0) {
					waits.add(entered - asked);
				}
				this.shared.add(INSIDE, -1);
			});
		}
	}

	/**
	 * The waits of one thread.
	 */
	private static final class Waits {

		private long[] nanos = new long[1 << 16];

		private int count;

		void add(long wait) {
			if (this.count == this.nanos.length) {
				this.nanos = Arrays.copyOf(this.nanos, 2 * this.count);
			}
			this.nanos[this.count++] = wait;
		}

		LongStream stream() {
			return Arrays.stream(this.nanos, 0, this.count);
		}

	}

}
