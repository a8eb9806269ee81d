package org.lockspring.faults.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

import org.lockspring.faults.history.HistoryFile;
import org.lockspring.faults.history.Operation;

/**
 * The workers of one store. They stay from one run to the next.
 */
public final class Workers implements AutoCloseable {

	/** How many there are. */
	public static final int SIZE = 3;

	private static final Duration START = Duration.ofMinutes(3);

	private final WorkerFiles files;

	private final List<WorkerProcess> processes = new ArrayList<>();

	private Workers(Path directory, IntFunction<Map<String, String>> properties) {
		this.files = new WorkerFiles(directory);
		this.files.assign(null);
		for (int i = 0; i < SIZE; i++) {
			this.processes.add(new WorkerProcess("w" + i, this.files, properties.apply(i)));
		}
	}

	/**
	 * Start them, and wait until all are there.
	 * @param directory for what they write; exists
	 * @param properties what each gets
	 * @return workers that rest
	 */
	public static Workers start(Path directory, IntFunction<Map<String, String>> properties) {
		Workers workers = new Workers(directory, properties);
		workers.awaitIdle(START);
		return workers;
	}

	/**
	 * Return one of them.
	 * @param index which
	 * @return the worker
	 */
	public WorkerProcess get(int index) {
		return this.processes.get(index % SIZE);
	}

	/**
	 * Let them begin.
	 * @param assignment what to do
	 */
	public void assign(Assignment assignment) {
		this.files.assign(assignment);
		awaitWorking();
	}

	/**
	 * Wait until all are at work, also those that were killed.
	 */
	public void awaitWorking() {
		await(START, () -> this.processes.stream().allMatch((worker) -> worker.state().startsWith("working")));
	}

	/**
	 * Set all wall clocks right.
	 */
	public void setClocks() {
		this.processes.forEach((worker) -> worker.step(Duration.ZERO));
	}

	/**
	 * Let them end what they are doing, and wait until they have.
	 * @param timeout for how long at most
	 */
	public void rest(Duration timeout) {
		this.files.assign(null);
		awaitIdle(timeout);
	}

	/**
	 * Wait until every workload of an assignment has got a lock.
	 * @param assignment what they do
	 * @param since after which instant
	 * @param timeout for how long at most
	 * @return whether they have
	 */
	public boolean awaitGrants(Assignment assignment, long since, Duration timeout) {
		return poll(timeout, () -> {
			Map<String, Long> grants = grants();
			return assignment.workloads().stream().allMatch((workload) -> grants.getOrDefault(workload, since) > since);
		});
	}

	private Map<String, Long> grants() {
		Map<String, Long> latest = new HashMap<>();
		for (WorkerProcess worker : this.processes) {
			for (String word : worker.state().split(" ", -1)) {
				int equals = word.indexOf('=');
				if (equals > 0) {
					latest.merge(word.substring(0, equals), Long.valueOf(word.substring(equals + 1)), Math::max);
				}
			}
		}
		return latest;
	}

	/**
	 * Read what they have written.
	 * @param assignment of which run
	 * @return their operations in the order of the starts
	 */
	public List<Operation> operations(Assignment assignment) {
		return HistoryFile.readAll(this.files.histories(assignment.run()));
	}

	private void awaitIdle(Duration timeout) {
		await(timeout, () -> this.processes.stream().allMatch((worker) -> worker.state().equals("idle")));
	}

	private void await(Duration timeout, BooleanSupplier condition) {
		if (!poll(timeout, condition)) {
			this.processes.forEach(WorkerProcess::dumpThreads);
			poll(Duration.ofSeconds(2), () -> false);
			StringBuilder states = new StringBuilder("The workers do not get there:");
			this.processes
				.forEach((worker) -> states.append("\n").append(worker.state()).append("\n").append(tail(worker)));
			throw new IllegalStateException(states.toString());
		}
	}

	private static String tail(WorkerProcess worker) {
		String output = worker.output();
		return output.substring(Math.max(0, output.length() - 40_000));
	}

	private static boolean poll(Duration timeout, BooleanSupplier condition) {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - start > timeout.toNanos()) {
				return false;
			}
			try {
				Thread.sleep(20);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}
		return true;
	}

	@Override
	public void close() {
		this.processes.forEach(WorkerProcess::close);
	}

}
