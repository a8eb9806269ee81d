package org.lockspring.core;

import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;

/**
 * Runs a scenario under every interleaving of its threads that Lincheck gets to. Time
 * stands still in it.
 */
final class Model {

	private static final int INTERLEAVINGS = Integer.getInteger("model.interleavings", 100);

	private static final int TRIES = 4;

	private Model() {
	}

	static void check(Step scenario) {
		initialize(scenario);
		for (int i = 1; i < TRIES; i++) {
			try {
				Lincheck.runConcurrentTest(INTERLEAVINGS, () -> run(scenario));
				return;
			}
			catch (LincheckAssertionError ex) {
				// Its limit of 10 s for one run includes the instrumentation of all
				// classes.
				// A real deadlock comes with the interleaving that leads to it
				String message = String.valueOf(ex.getMessage());
				if (!message.contains("has hung") || message.contains("interleaving leads to")) {
					throw ex;
				}
			}
		}
		Lincheck.runConcurrentTest(INTERLEAVINGS, () -> run(scenario));
	}

	/** Once without the checker; what comes of it does not matter. */
	private static void initialize(Step scenario) {
		Thread thread = new Thread(() -> run(scenario), "model");
		thread.setDaemon(true);
		thread.start();
		run(() -> thread.join(5000));
	}

	static Thread start(Step step) {
		Thread thread = new Thread(() -> run(step));
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	private static void run(Step step) {
		try {
			step.run();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static void join(Thread... threads) throws InterruptedException {
		for (Thread thread : threads) {
			thread.join();
		}
	}

	static void parallel(Step... steps) throws InterruptedException {
		Thread[] threads = new Thread[steps.length];
		for (int i = 0; i < steps.length; i++) {
			threads[i] = start(steps[i]);
		}
		join(threads);
	}

	/** Not AssertJ's: what the checker has to follow shall be short. */
	static void require(boolean condition, String what) {
		if (!condition) {
			throw new IllegalStateException(what);
		}
	}

	interface Step {

		void run() throws InterruptedException;

	}

}
