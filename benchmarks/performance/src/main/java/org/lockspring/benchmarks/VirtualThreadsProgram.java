package org.lockspring.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * Virtual threads that acquire and release locks of their own. Not a benchmark of JMH,
 * whose threads wait for each other by turning in circles.
 */
final class VirtualThreadsProgram {

	private final Contestant contestant;

	private final LongAdder pairs = new LongAdder();

	private volatile boolean ended;

	private volatile boolean failed;

	private VirtualThreadsProgram(Contestant contestant) {
		this.contestant = contestant;
	}

	/**
	 * Tells the pairs in a second, of each of several windows.
	 * @param args contestant, port, threads, time to warm up and of each window in ms,
	 * number of windows
	 */
	public static void main(String[] args) throws InterruptedException {
		int port = Integer.parseInt(args[1]);
		try (Contestant contestant = Contestants.valueOf(args[0]).start(port, Contestants.TTL)) {
			Check.locks(contestant, port);
			Warmup.run(contestant);
			VirtualThreadsProgram program = new VirtualThreadsProgram(contestant);
			String told = program.run(Integer.parseInt(args[2]), Long.parseLong(args[3]), Long.parseLong(args[4]),
					Integer.parseInt(args[5]));
			Check.locks(contestant, port);
			Jvm.tell(told);
			Jvm.awaitInput();
		}
	}

	private String run(int threads, long warmup, long window, int windows) throws InterruptedException {
		CountDownLatch running = new CountDownLatch(threads);
		VirtualThreadTaskExecutor executor = new VirtualThreadTaskExecutor("pairs-");
		for (int i = 0; i < threads; i++) {
			executor.execute(() -> pairs(running));
		}
		Thread.sleep(warmup);
		StringBuilder told = new StringBuilder();
		for (int i = 0; i < windows; i++) {
			this.pairs.reset();
			long start = System.nanoTime();
			Thread.sleep(window);
			told.append(this.pairs.sum() * 1e9 / (System.nanoTime() - start)).append(' ');
		}
		this.ended = true;
		running.await();
		Contestant.require(!this.failed, "a thread failed");
		return told.toString().trim();
	}

	private void pairs(CountDownLatch running) {
		Keys keys = new Keys();
		try {
			while (!this.ended) {
				this.contestant.locked(keys.next(), keys.body());
				keys.verify();
				this.pairs.increment();
			}
		}
		catch (RuntimeException | Error ex) {
			this.failed = true;
			throw ex;
		}
		finally {
			running.countDown();
		}
	}

}
