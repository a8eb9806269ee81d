package org.lockspring.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.lockspring.AllOrNothing;
import org.lockspring.AllOrNothing.Answer;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;

/**
 * Obtains several leases, all or none: first the turn in the line of each, in the order
 * of the keys, then all entries in one step if the store can, else one after the other.
 * In one step it inherits no entry of a holder before: that would be a lock held while
 * waiting for another.
 */
final class GroupAcquisition {

	private final LeaseAcquirer acquirer;

	private final List<LockRequest> requests;

	private final List<String> names;

	private final long deadline;

	/**
	 * Create an acquisition.
	 * @param requests at least two, complete, of different keys, in order; the shortest
	 * wait time counts for all
	 */
	GroupAcquisition(LeaseAcquirer acquirer, List<LockRequest> requests) {
		this.acquirer = acquirer;
		this.requests = requests;
		this.names = requests.stream().map(acquirer::name).toList();
		this.deadline = System.nanoTime()
				+ requests.stream().map(LockRequest::waitTime).mapToLong(GroupAcquisition::nanos).min().orElse(0);
	}

	private static long nanos(@Nullable Duration duration) {
		return (duration != null) ? duration.toNanos() : 0;
	}

	List<HeldLease> acquire() {
		LockBackend backend = this.acquirer.backend(this.requests.get(0));
		boolean one = this.requests.stream().allMatch((request) -> backend.equals(this.acquirer.backend(request)));
		if (one && backend instanceof AllOrNothing store && store.canTakeTogether(this.names)) {
			List<HeldLease> leases = together(backend, store);
			if (leases != null) {
				return leases;
			}
		}
		return oneAfterTheOther();
	}

	private @Nullable List<HeldLease> together(LockBackend backend, AllOrNothing store) {
		List<Turn> turns = new ArrayList<>();
		List<HeldLease> leases = new ArrayList<>();
		boolean held = false;
		try {
			for (LockRequest request : this.requests) {
				turns.add(this.acquirer.enter(request, this.deadline));
			}
			List<BackendLease> entries = take(backend, store, turns);
			if (entries != null) {
				hold(entries, turns, leases);
				held = true;
				return leases;
			}
			return null;
		}
		catch (InterruptedException ex) {
			throw LeaseAcquirer.interrupted(this.requests.get(Math.min(turns.size(), this.requests.size() - 1)), ex);
		}
		finally {
			if (!held) {
				leases.forEach(HeldLease::discard);
				turns.forEach(this.acquirer::leave);
			}
		}
	}

	private void hold(List<BackendLease> entries, List<Turn> turns, List<HeldLease> leases) {
		try {
			for (int i = 0; i < entries.size(); i++) {
				leases.add(this.acquirer.hold(this.requests.get(i), this.names.get(i), entries.get(i), turns.get(i)));
			}
		}
		catch (RuntimeException | Error ex) {
			// The one that failed has been given back already
			entries.subList(leases.size() + 1, entries.size()).forEach(BackendLease::release);
			throw ex;
		}
	}

	private @Nullable List<BackendLease> take(LockBackend backend, AllOrNothing store, List<Turn> turns)
			throws InterruptedException {
		Yielding yielding = turns.stream().map((turn) -> turn.yielding).reduce(Yielding.NO, Yielding::longer);
		try (StoreWait wait = new StoreWait(backend, this.names.get(0), this.deadline, yielding)) {
			wait.letOthersGoFirst();
			while (true) {
				LockException failure;
				Duration retryAfter = null;
				try {
					Answer answer = store.tryAcquireAll(attempts());
					if (answer == null) {
						return null;
					}
					if (answer instanceof Answer.OneBusy busy) {
						turns.get(busy.index()).contended = true;
						wait.watch(this.names.get(busy.index()));
						retryAfter = busy.retryAfter();
						failure = LeaseAcquirer.busy(this.requests.get(busy.index()));
					}
					else {
						List<BackendLease> entries = ((Answer.AllGranted) answer).leases();
						if (entries.stream().allMatch((entry) -> entry.validUntil() - System.nanoTime() > 0)) {
							return entries;
						}
						entries.forEach(BackendLease::release);
						failure = LeaseAcquirer.late(this.requests.get(0));
					}
				}
				catch (LockUnavailableException ex) {
					if (!ex.isRetryable()) {
						throw ex;
					}
					failure = ex;
				}
				if (!wait.forNextTry(failure, retryAfter)) {
					throw failure;
				}
			}
		}
	}

	private List<LockAttempt> attempts() {
		List<LockAttempt> attempts = new ArrayList<>();
		for (int i = 0; i < this.names.size(); i++) {
			attempts.add(this.acquirer.attempt(this.requests.get(i), this.names.get(i)));
		}
		return attempts;
	}

	private List<HeldLease> oneAfterTheOther() {
		List<HeldLease> leases = new ArrayList<>();
		try {
			for (LockRequest request : this.requests) {
				long left = Math.max(0, this.deadline - System.nanoTime());
				leases.add(this.acquirer.acquire(request.withWaitTime(Duration.ofNanos(left))));
			}
			return leases;
		}
		catch (Throwable ex) {
			for (int i = leases.size() - 1; i >= 0; i--) {
				leases.get(i).discard();
			}
			throw ex;
		}
	}

}
