package org.lockspring.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A {@link LedgerWorker} in a process of its own, and what it told. It ends when this
 * process does, as its standard input is closed then.
 */
final class LedgerJvm implements AutoCloseable {

	private static final long PATIENCE_SECONDS = 180;

	private final Process process;

	private final Writer orders;

	private final Thread reader;

	private final Semaphore ready = new Semaphore(0);

	private final Semaphore held = new Semaphore(0);

	private final Set<Long> made = ConcurrentHashMap.newKeySet();

	private final Map<String, Integer> refused = new ConcurrentSkipListMap<>();

	private final Queue<String> failed = new ConcurrentLinkedQueue<>();

	private final Queue<String> log = new ConcurrentLinkedQueue<>();

	private volatile boolean finished;

	LedgerJvm(List<String> arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-cp", System.getProperty("java.class.path"), LedgerWorker.class.getName()));
		command.addAll(arguments);
		this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
		this.orders = this.process.outputWriter();
		this.reader = new Thread(this::read, "reads-" + this.process.pid());
		this.reader.start();
	}

	private void read() {
		try (BufferedReader lines = this.process.inputReader()) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (line.startsWith(LedgerWorker.MARK)) {
					String[] words = line.substring(LedgerWorker.MARK.length()).split(" ", 2);
					hear(words[0], words[words.length - 1]);
				}
				else {
					this.log.add(line);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void hear(String word, String rest) {
		switch (word) {
			case "ready" -> this.ready.release();
			case "held" -> this.held.release();
			case "made" -> this.made.add(Long.valueOf(rest));
			case "refused" -> this.refused.merge(rest, 1, Integer::sum);
			case "failed" -> this.failed.add(rest);
			case "finished" -> this.finished = true;
			default -> throw new IllegalStateException(word + " " + rest);
		}
	}

	void awaitReady() throws InterruptedException {
		await(this.ready);
	}

	void start() throws IOException {
		order("start");
	}

	/**
	 * Stop and resume the whole process while one of its threads is at the place.
	 */
	void stop(Hold.Place place, Duration time) throws IOException, InterruptedException {
		order(place.name());
		await(this.held);
		stop(time);
		order("go");
	}

	/**
	 * Stop the whole process with SIGSTOP and resume it with SIGCONT, wherever its
	 * threads are. One shell does both: the process is resumed whatever happens here.
	 */
	void stop(Duration time) throws IOException, InterruptedException {
		String seconds = "%d.%03d".formatted(time.toSeconds(), time.toMillisPart());
		int exit = new ProcessBuilder("sh", "-c", "kill -STOP $0 && sleep $1; kill -CONT $0",
				String.valueOf(this.process.pid()), seconds)
			.start()
			.waitFor();
		if (exit != 0) {
			throw new IllegalStateException("The worker is gone: " + this.log);
		}
	}

	private void order(String order) throws IOException {
		this.orders.write(order + "\n");
		this.orders.flush();
	}

	private void await(Semaphore sign) throws InterruptedException {
		if (!sign.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
			throw new IllegalStateException("The worker does not answer: " + this.log);
		}
	}

	/**
	 * Let it finish the calls that it is in, and end.
	 */
	void finish() throws IOException, InterruptedException {
		this.orders.close();
		this.reader.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
		if (!this.finished) {
			throw new IllegalStateException("The worker did not finish: " + this.log);
		}
	}

	/**
	 * The transfers that it was told were made.
	 */
	Set<Long> made() {
		return this.made;
	}

	/**
	 * How many calls were told, by which exception, that nothing was written.
	 */
	Map<String, Integer> refused() {
		return this.refused;
	}

	/**
	 * The exceptions that nobody expects.
	 */
	Queue<String> failed() {
		return this.failed;
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

}
