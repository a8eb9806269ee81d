package org.lockspring.faults.worker;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.lockspring.LockException;
import org.lockspring.faults.history.HistoryFile;
import org.lockspring.faults.history.Operation;
import org.lockspring.faults.history.Outcome;
import org.lockspring.faults.workload.Locking;
import org.lockspring.faults.workload.RefusedException;
import org.lockspring.faults.workload.Step;
import org.lockspring.faults.workload.Workload;
import org.lockspring.fencing.StaleFencingTokenException;

/**
 * The work of one process in one run.
 */
final class Shift implements AutoCloseable {

	private static final AtomicLong ids = new AtomicLong();

	private final String worker;

	private final Assignment assignment;

	private final Locking locking;

	private final HistoryFile history;

	private final AtomicInteger busy = new AtomicInteger();

	private volatile boolean ending;

	private final Map<String, Long> lastGrants = new ConcurrentHashMap<>();

	Shift(String worker, Assignment assignment, Locking locking, HistoryFile history) {
		this.worker = worker;
		this.assignment = assignment;
		this.locking = locking;
		this.history = history;
	}

	Assignment assignment() {
		return this.assignment;
	}

	/** Begin nothing new. */
	void end() {
		this.ending = true;
	}

	/** Whether no thread is at work, after the {@linkplain #end() end}. */
	boolean isQuiet() {
		return this.busy.get() == 0;
	}

	/** When each workload got a lock the last time. */
	Map<String, Long> lastGrants() {
		return this.lastGrants;
	}

	void once(Workload workload, int thread, Random random) {
		this.busy.incrementAndGet();
		try {
			if (this.ending) {
				return;
			}
			List<String> keys = workload.locks(thread, random)
				.stream()
				.map((name) -> this.assignment.run() + "/" + name)
				.toList();
			String id = this.worker + "-" + ProcessHandle.current().pid() + "-" + ids.incrementAndGet();
			Attempt attempt = new Attempt(Operation.begin(id, this.worker, workload.name(), keys));
			this.history.write(attempt.operation());
			Step step = new Step(id, this.assignment.guard(), this.assignment.pace(), random);
			this.history.write(run(workload, keys, step, attempt));
		}
		finally {
			this.busy.decrementAndGet();
		}
	}

	private Operation run(Workload workload, List<String> keys, Step step, Attempt attempt) {
		Locking.Body body = (holding) -> {
			attempt.granted();
			this.lastGrants.put(workload.name(), System.nanoTime());
			try {
				workload.run(keys, holding, step);
			}
			finally {
				attempt.left(holding);
			}
		};
		try {
			if (workload.isOnce()) {
				this.locking.runOnce(keys.get(0), body);
			}
			else {
				this.locking.run(keys, body);
			}
			return attempt.ended(attempt.wasGranted() ? Outcome.OK : Outcome.FAILED, null);
		}
		catch (Exception ex) {
			return attempt.ended(outcome(workload, attempt, ex), ex);
		}
	}

	/**
	 * A lock's exception promises that nothing was committed, and is held to it.
	 */
	private static Outcome outcome(Workload workload, Attempt attempt, Exception ex) {
		boolean nothing = !attempt.wasGranted() || ex instanceof RefusedException
				|| ex instanceof StaleFencingTokenException
				|| (ex instanceof LockException && workload.isTransactional());
		return nothing ? Outcome.FAILED : Outcome.UNKNOWN;
	}

	@Override
	public void close() {
		this.history.close();
	}

}
