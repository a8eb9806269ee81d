package org.lockspring.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

import org.lockspring.BatchRenewal;

/**
 * Watches the leases that are held: renews those that are due, and finds those whose
 * deadline has passed. One thread looks at all of them from time to time, so that an
 * acquisition costs it an insertion and no wake-up; it never waits for a store itself.
 */
final class LeaseWatch implements AutoCloseable {

	private static final long LONGEST_PAUSE = Duration.ofSeconds(1).toNanos();

	private static final long SHORTEST_PAUSE = Duration.ofMillis(2).toNanos();

	private static final int BATCH = 100;

	private final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();

	private final Executor executor;

	private final Thread thread;

	private volatile long nextLook = System.nanoTime();

	private volatile boolean running;

	/**
	 * Create a watch.
	 * @param executor runs renewals, which wait for a store
	 */
	LeaseWatch(Executor executor) {
		this.executor = executor;
		this.thread = new Thread(this::run, "lock-watch");
		this.thread.setDaemon(true);
	}

	void add(HeldLease lease) {
		this.leases.add(lease);
		if (!this.running) {
			start();
		}
		if (lease.renewal().dueAt() - this.nextLook < 0) {
			LockSupport.unpark(this.thread);
		}
	}

	private synchronized void start() {
		if (!this.running) {
			this.running = true;
			this.thread.start();
		}
	}

	void remove(HeldLease lease) {
		this.leases.remove(lease);
	}

	Set<HeldLease> leases() {
		return this.leases;
	}

	private void run() {
		long shortest = LONGEST_PAUSE;
		while (this.running) {
			long now = System.nanoTime();
			long next = now + Math.max(SHORTEST_PAUSE, shortest);
			List<LeaseRenewal> due = new ArrayList<>();
			this.leases.removeIf((lease) -> !lease.checkDeadline());
			// What is due soon goes along with what is due now: fewer requests
			boolean any = this.leases.stream().anyMatch((lease) -> lease.renewal().isDue(now));
			for (HeldLease lease : this.leases) {
				if (any && lease.renewal().begin(now)) {
					due.add(lease.renewal());
				}
				next = earlier(next, lease.renewal().dueAt());
			}
			renew(due);
			this.nextLook = next;
			LockSupport.parkNanos(this, Math.max(SHORTEST_PAUSE, next - System.nanoTime()));
		}
	}

	private static long earlier(long one, long other) {
		return (one - other < 0) ? one : other;
	}

	private void renew(List<LeaseRenewal> due) {
		Map<BatchRenewal, List<LeaseRenewal>> batches = new LinkedHashMap<>();
		for (LeaseRenewal renewal : due) {
			BatchRenewal batching = renewal.batching();
			if (batching == null) {
				execute(List.of(renewal), renewal::run);
			}
			else {
				batches.computeIfAbsent(batching, (key) -> new ArrayList<>()).add(renewal);
			}
		}
		batches.forEach((batching, renewals) -> {
			for (int i = 0; i < renewals.size(); i += BATCH) {
				List<LeaseRenewal> batch = renewals.subList(i, Math.min(i + BATCH, renewals.size()));
				execute(batch, () -> renew(batching, batch));
			}
		});
	}

	private void execute(List<LeaseRenewal> renewals, Runnable task) {
		try {
			this.executor.execute(task);
		}
		catch (RejectedExecutionException ex) {
			renewals.forEach((renewal) -> renewal.failed(ex));
		}
	}

	private static void renew(BatchRenewal batching, List<LeaseRenewal> batch) {
		try {
			List<BatchRenewal.Outcome> outcomes = batching.renew(batch.stream().map(LeaseRenewal::entry).toList());
			for (int i = 0; i < batch.size(); i++) {
				batch.get(i).ended(outcomes.get(i));
			}
		}
		catch (RuntimeException ex) {
			batch.forEach((renewal) -> renewal.failed(ex));
		}
	}

	@Override
	public void close() {
		this.running = false;
		LockSupport.unpark(this.thread);
	}

}
