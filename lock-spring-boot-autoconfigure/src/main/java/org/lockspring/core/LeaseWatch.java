package org.lockspring.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.lockspring.BatchRenewal;

/**
 * Watches the leases that are held: renews those that are due, and finds those whose
 * deadline has passed. One thread looks at all of them from time to time, so that an
 * acquisition costs it an insertion and no wake-up; it never waits for a store itself.
 */
final class LeaseWatch implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockTemplate.class);

	private static final long LONGEST_PAUSE = Duration.ofSeconds(1).toNanos();

	private static final long SHORTEST_PAUSE = Duration.ofMillis(2).toNanos();

	private static final int BATCH = 100;

	/** Longer than the pauses of a program that takes locks all the time. */
	private static final long LINGER = Duration.ofSeconds(5).toNanos();

	private final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();

	private final Executor executor;

	private final OnDemandThread thread;

	/** Never earlier than the next look is. */
	private volatile long nextLook = System.nanoTime() + LONGEST_PAUSE;

	/**
	 * Create a watch. Its thread runs while there are leases, and for some seconds more.
	 * @param executor runs renewals, which wait for a store
	 */
	LeaseWatch(Executor executor) {
		this.executor = executor;
		this.thread = new OnDemandThread("lock-watch", this::run, this.leases::isEmpty);
	}

	void add(HeldLease lease) {
		this.leases.add(lease);
		try {
			look(lease);
		}
		catch (RuntimeException | Error ex) {
			// No thread could be started
			this.leases.remove(lease);
			throw ex;
		}
	}

	/**
	 * See to it that a lease is looked at when it is due, which may be earlier than it
	 * was.
	 */
	void look(HeldLease lease) {
		Thread running = this.thread.require();
		if (running != null && lease.renewal().dueAt() - this.nextLook < 0) {
			LockSupport.unpark(running);
		}
	}

	void remove(HeldLease lease) {
		this.leases.remove(lease);
	}

	Set<HeldLease> leases() {
		return this.leases;
	}

	private void run() {
		long usedAt = System.nanoTime();
		while (!this.thread.isClosed()) {
			long now = System.nanoTime();
			// Before looking: who adds or changes a lease meanwhile wakes us
			this.nextLook = now + LONGEST_PAUSE;
			if (!this.leases.isEmpty()) {
				usedAt = now;
			}
			else if (now - usedAt > LINGER && this.thread.leave()) {
				return;
			}
			this.nextLook = lookAtAll(now);
			LockSupport.parkNanos(this, Math.max(SHORTEST_PAUSE, this.nextLook - System.nanoTime()));
		}
	}

	private long lookAtAll(long now) {
		long next = now + LONGEST_PAUSE;
		List<LeaseRenewal> due = new ArrayList<>();
		try {
			this.leases.removeIf((lease) -> !lease.checkDeadline());
			// What is due soon goes along with what is due now: fewer requests
			boolean any = this.leases.stream().anyMatch((lease) -> lease.renewal().isDue(now));
			for (HeldLease lease : this.leases) {
				if (any && lease.renewal().begin(now)) {
					due.add(lease.renewal());
				}
				next = earlier(next, lease.renewal().dueAt());
			}
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Looking at the leases that are held failed, and is done again", ex);
			next = now + SHORTEST_PAUSE;
		}
		renew(due);
		return next;
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
		catch (RuntimeException | Error ex) {
			renewals.stream().filter(LeaseRenewal::start).forEach((renewal) -> renewal.failed(ex));
		}
	}

	private static void renew(BatchRenewal batching, List<LeaseRenewal> planned) {
		// Who was released in the meantime is not renewed any more
		List<LeaseRenewal> batch = planned.stream().filter(LeaseRenewal::start).toList();
		if (batch.isEmpty()) {
			return;
		}
		try {
			List<BatchRenewal.Outcome> outcomes = batching.renew(batch.stream().map(LeaseRenewal::entry).toList());
			for (int i = 0; i < batch.size(); i++) {
				batch.get(i).ended(outcomes.get(i));
			}
		}
		catch (RuntimeException | Error ex) {
			batch.forEach((renewal) -> renewal.failed(ex));
		}
	}

	/**
	 * End the thread. Leases that are still held are not renewed any longer.
	 */
	@Override
	public void close() {
		LockSupport.unpark(this.thread.close());
	}

}
