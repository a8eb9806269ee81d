package org.lockspring.faults.matrix;

import java.util.Set;

import org.lockspring.faults.checker.Promise;
import org.lockspring.faults.nemesis.Nemesis;
import org.lockspring.faults.worker.Assignment;

/**
 * One run: one lock, one store, one kind of faults.
 *
 * @param name the name, which is in every key
 * @param kind what it is for
 * @param backend where the locks are
 * @param nemesis what goes wrong
 * @param assignment what the workers do
 * @param promised what must hold; for a control, what must not
 * @param reason why not everything is promised, or what the mistake is
 */
public record Cell(String name, Kind kind, Backend backend, Nemesis nemesis, Assignment assignment,
		Set<Promise> promised, String reason) {

	/**
	 * Return the same with keys, and a schedule, of its own.
	 * @param time how many times it was run, with this one
	 * @return another run
	 */
	public Cell again(int time) {
		String next = this.name + "-" + time;
		Assignment same = new Assignment(next, this.assignment.locking(), this.assignment.guard(),
				this.assignment.pace(), this.assignment.workloads());
		return new Cell(next, this.kind, this.backend, this.nemesis, same, this.promised, this.reason);
	}

}
