package org.lockspring.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.sun.management.OperatingSystemMXBean;
import org.lockspring.testing.RespConnection;

/**
 * Threads that acquire and release locks of their own, a given number of times.
 */
final class ProcessorProgram {

	private final Contestant contestant;

	private final int port;

	private final int threads;

	private ProcessorProgram(Contestant contestant, int port, int threads) {
		this.contestant = contestant;
		this.port = port;
		this.threads = threads;
	}

	/**
	 * Tells the time of processors in microseconds that a pair takes here and in Redis,
	 * of each of several windows.
	 * @param args contestant, port, threads, pairs of each thread, number of windows
	 */
	public static void main(String[] args) throws InterruptedException {
		int port = Integer.parseInt(args[1]);
		int pairs = Integer.parseInt(args[3]);
		try (Contestant contestant = Contestants.valueOf(args[0]).start(port, Contestants.TTL)) {
			Check.locks(contestant, port);
			Warmup.run(contestant);
			ProcessorProgram program = new ProcessorProgram(contestant, port, Integer.parseInt(args[2]));
			program.run(pairs);
			Jvm.tell(program.measure(pairs, Integer.parseInt(args[4])));
			Jvm.awaitInput();
		}
	}

	private String measure(int pairs, int windows) throws InterruptedException {
		StringBuilder told = new StringBuilder();
		for (int i = 0; i < windows; i++) {
			double here = processorMicros();
			double redis = redisMicros();
			run(pairs / windows);
			double all = pairs / windows * (double) this.threads;
			told.append((processorMicros() - here) / all).append(' ').append((redisMicros() - redis) / all).append(' ');
		}
		return told.toString().trim();
	}

	private void run(int pairs) throws InterruptedException {
		List<Thread> running = new ArrayList<>();
		for (int i = 0; i < this.threads; i++) {
			Thread thread = new Thread(() -> pairs(pairs));
			running.add(thread);
			thread.start();
		}
		for (Thread thread : running) {
			thread.join();
		}
	}

	private void pairs(int count) {
		Keys keys = new Keys();
		for (int i = 0; i < count; i++) {
			this.contestant.locked(keys.next(), keys.body());
			keys.verify();
		}
	}

	private static double processorMicros() {
		return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1000.0;
	}

	private double redisMicros() {
		try (RespConnection redis = new RespConnection("127.0.0.1", this.port, Duration.ofSeconds(5))) {
			return String.valueOf(redis.command("INFO", "cpu"))
				.lines()
				.filter((line) -> line.startsWith("used_cpu_sys:") || line.startsWith("used_cpu_user:"))
				.mapToDouble((line) -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
				.sum() * 1_000_000;
		}
	}

}
