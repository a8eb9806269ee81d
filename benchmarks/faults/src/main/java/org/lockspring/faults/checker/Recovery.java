package org.lockspring.faults.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.lockspring.faults.history.History;
import org.lockspring.faults.history.Operation;

/**
 * Checks what comes after the faults.
 */
final class Recovery {

	private Recovery() {
	}

	static List<String> live(History history) {
		Set<String> waiting = new TreeSet<>();
		history.operations().forEach((operation) -> waiting.add(operation.workload()));
		long deadline = history.healed() + history.recovery().toNanos();
		for (Operation operation : history.operations()) {
			Long granted = operation.granted();
			if (granted != null && granted > history.healed() && granted < deadline) {
				waiting.remove(operation.workload());
			}
		}
		List<String> violations = new ArrayList<>();
		waiting.forEach((workload) -> violations
			.add("No lock for '%s' within %d ms after the faults".formatted(workload, history.recovery().toMillis())));
		return violations;
	}

	static List<String> nothingLeft(History history) {
		return history.leftovers().stream().map((entry) -> "Left in the store: " + entry).toList();
	}

}
