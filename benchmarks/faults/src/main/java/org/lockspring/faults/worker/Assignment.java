package org.lockspring.faults.worker;

import java.util.List;

import org.lockspring.faults.workload.Guard;
import org.lockspring.faults.workload.Pace;

/**
 * What all workers do in one run.
 *
 * @param run the name of the run, which every key begins with
 * @param locking the bean name of the locks
 * @param guard a guard in place of the library's
 * @param pace how long bodies take
 * @param workloads the names of the workloads
 */
public record Assignment(String run, String locking, Guard guard, Pace pace, List<String> workloads) {

	/** All of them. */
	public static final List<String> ALL = List.of("counter", "transfers", "register", "tickets", "job");

	/** Without those that a lock without {@code minHold} cannot do. */
	public static final List<String> WITHOUT_JOB = List.of("counter", "transfers", "register", "tickets");

	static Assignment parse(String line) {
		String[] words = line.trim().split(" ", -1);
		return new Assignment(words[0], words[1], Guard.valueOf(words[2]), Pace.valueOf(words[3]),
				List.of(words[4].split(",", -1)));
	}

	String line() {
		return String.join(" ", this.run, this.locking, this.guard.name(), this.pace.name(),
				String.join(",", this.workloads));
	}

}
