package org.lockspring.faults.checker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.lockspring.faults.history.Accepted;
import org.lockspring.faults.history.History;
import org.lockspring.faults.history.Operation;
import org.lockspring.faults.history.Outcome;
import org.lockspring.faults.history.Resource;

/**
 * Checks what the resources have accepted.
 */
final class Writes {

	/** The workloads whose effect is a write to a resource. */
	private static final Set<String> WRITERS = Set.of("counter", "transfers", "register");

	private Writes() {
	}

	static List<String> acceptedRise(History history) {
		List<String> violations = new ArrayList<>();
		for (Resource resource : history.resources()) {
			Accepted last = null;
			for (Accepted write : resource.accepted()) {
				Long token = write.token();
				Long before = (last != null) ? last.token() : null;
				if (last != null && token != null && before != null && token <= before
						&& !last.operation().equals(write.operation())) {
					violations.add("'%s' accepted token %d of %s after %d of %s".formatted(resource.key(), token,
							write.operation(), before, last.operation()));
				}
				last = write;
			}
		}
		return violations;
	}

	static List<String> noneLost(History history) {
		List<String> violations = new ArrayList<>();
		for (Resource resource : history.resources()) {
			long value = resource.initial();
			for (Accepted write : resource.accepted()) {
				if (write.was() != value) {
					violations.add("%s wrote %d to '%s', having read %d where %d was".formatted(write.operation(),
							write.became(), resource.key(), write.was(), value));
				}
				value = write.became();
			}
			if (value != resource.current()) {
				violations.add("'%s' is %d, but the last accepted write was %d".formatted(resource.key(),
						resource.current(), value));
			}
		}
		return violations;
	}

	static List<String> sumKept(History history) {
		long before = 0;
		long after = 0;
		for (Resource resource : history.resources()) {
			if (resource.key().contains("/account")) {
				before += resource.initial();
				after += resource.current();
			}
		}
		return (before == after) ? List.of() : List.of("%d on all accounts became %d".formatted(before, after));
	}

	static List<String> outcomesTrue(History history) {
		Map<String, Set<String>> written = new HashMap<>();
		List<String> violations = new ArrayList<>();
		for (Resource resource : history.resources()) {
			for (Accepted write : resource.accepted()) {
				if (!written.computeIfAbsent(write.operation(), (id) -> new HashSet<>()).add(resource.key())) {
					violations.add("%s wrote '%s' twice".formatted(write.operation(), resource.key()));
				}
			}
		}
		for (Operation operation : history.operations()) {
			if (!WRITERS.contains(operation.workload())) {
				continue;
			}
			Set<String> keys = written.getOrDefault(operation.id(), Set.of());
			if (operation.outcome() == Outcome.OK && !keys.containsAll(operation.keys())) {
				violations.add("%s succeeded, and its write is not there".formatted(operation.id()));
			}
			if (operation.outcome() == Outcome.FAILED && !keys.isEmpty()) {
				violations.add("%s failed with %s, and yet it wrote".formatted(operation.id(), operation.error()));
			}
			if (!keys.isEmpty() && !keys.containsAll(operation.keys())) {
				violations.add("%s wrote only %s".formatted(operation.id(), keys));
			}
		}
		return violations;
	}

}
