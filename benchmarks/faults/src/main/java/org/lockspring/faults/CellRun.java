package org.lockspring.faults;

import java.time.Duration;
import java.util.List;

import org.lockspring.faults.checker.Promise;
import org.lockspring.faults.history.History;
import org.lockspring.faults.history.Injected;
import org.lockspring.faults.matrix.Cell;
import org.lockspring.faults.matrix.Kind;
import org.lockspring.faults.nemesis.Arena;
import org.lockspring.faults.nemesis.Injector;
import org.lockspring.faults.nemesis.Schedule;
import org.lockspring.faults.resource.Resources;
import org.lockspring.faults.store.Store;
import org.lockspring.faults.worker.Workers;
import org.lockspring.faults.workload.Timing;
import org.lockspring.testing.FaultProxy;

/**
 * One run: work begins, faults come and go, work has to go on, work ends, the history is
 * checked.
 */
final class CellRun {

	private static final Duration REST = Duration.ofSeconds(60);

	private final Cell cell;

	private final Schedule schedule;

	private final Resources resources;

	private final Store store;

	private final Workers workers;

	CellRun(Cell cell, Schedule schedule, Resources resources, Store store, Workers workers) {
		this.cell = cell;
		this.schedule = schedule;
		this.resources = resources;
		this.store = store;
		this.workers = workers;
	}

	History run() throws InterruptedException {
		this.resources.create(this.cell.name());
		this.workers.assign(this.cell.assignment());
		List<Injected> faults = new Injector(new Arena(this.workers, this.store)).run(this.schedule);
		this.store.links().forEach(FaultProxy::heal);
		this.workers.awaitWorking();
		long healed = System.nanoTime();
		Duration recovery = this.schedule.recovery();
		boolean counted = this.cell.kind() == Kind.EFFICIENCY || this.cell.kind() == Kind.PEER;
		if (counted || this.cell.promised().contains(Promise.LIVENESS)) {
			this.workers.awaitGrants(this.cell.assignment(), healed, recovery);
		}
		this.workers.rest(REST);
		List<String> leftovers = leftovers(recovery);
		this.store.setClocks();
		this.workers.setClocks();
		return new History(this.workers.operations(this.cell.assignment()), this.resources.read(this.cell.name()),
				faults, healed, Timing.MIN_HOLD, recovery, leftovers);
	}

	private List<String> leftovers(Duration recovery) throws InterruptedException {
		if (!this.cell.promised().contains(Promise.NOTHING_LEFT)) {
			return List.of();
		}
		long deadline = System.nanoTime() + recovery.toNanos();
		List<String> entries = this.store.entries(this.cell.name());
		while (!entries.isEmpty() && System.nanoTime() < deadline) {
			Thread.sleep(50);
			entries = this.store.entries(this.cell.name());
		}
		return entries;
	}

}
