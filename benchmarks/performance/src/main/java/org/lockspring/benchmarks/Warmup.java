package org.lockspring.benchmarks;

import java.time.Duration;

/**
 * Takes locks on one thread before many compete. These would leave the compiler of the
 * JVM no processor, and whoever has more code would be measured while it is interpreted.
 */
final class Warmup {

	private static final String PAIRS = "benchmarks.warmup";

	/** For stores that are slow by nature. */
	private static final long LONGEST = Duration.ofSeconds(10).toNanos();

	private Warmup() {
	}

	/**
	 * Set how many pairs there will be, here and in JVMs with the {@link #argument()}.
	 */
	static void set(int pairs) {
		System.setProperty(PAIRS, String.valueOf(pairs));
	}

	/**
	 * Return what another JVM needs to warm up like this one.
	 */
	static String argument() {
		return "-D" + PAIRS + "=" + pairs();
	}

	private static int pairs() {
		return Integer.getInteger(PAIRS, 12_000);
	}

	static void run(Contestant contestant) {
		Keys keys = new Keys();
		long start = System.nanoTime();
		for (int i = pairs(); i > 0 && System.nanoTime() - start < LONGEST; i--) {
			contestant.locked(keys.next(), keys.body());
			keys.verify();
		}
	}

}
