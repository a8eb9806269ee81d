package org.lockspring.faults.checker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.lockspring.faults.history.Accepted;
import org.lockspring.faults.history.Held;
import org.lockspring.faults.history.History;
import org.lockspring.faults.history.Operation;
import org.lockspring.faults.history.Outcome;
import org.lockspring.faults.history.Resource;

/** Small histories. Times are milliseconds. */
final class Histories {

	private final List<Operation> operations = new ArrayList<>();

	private final List<Accepted> accepted = new ArrayList<>();

	private final List<Resource> others = new ArrayList<>();

	private final List<String> leftovers = new ArrayList<>();

	private long current;

	/** A holder of the key {@code k} who was valid to the end. */
	Histories held(String id, String workload, long start, long granted, long left, @Nullable Long token) {
		return held(id, workload, start, granted, left, token, true);
	}

	Histories held(String id, String workload, long start, long granted, long left, @Nullable Long token,
			boolean valid) {
		this.operations.add(new Operation(id, "w", workload, List.of("k"), millis(start), millis(granted), millis(left),
				millis(left), Outcome.OK, null, List.of(new Held("k", token, valid))));
		return this;
	}

	Histories ended(String id, Outcome outcome) {
		this.operations
			.add(new Operation(id, "w", "counter", List.of("k"), 0, null, null, 1L, outcome, "Error", List.of()));
		return this;
	}

	/** A write to the resource {@code k}. */
	Histories accepted(String id, @Nullable Long token, long was, long became) {
		this.accepted.add(new Accepted("k", id, token, was, became));
		this.current = became;
		return this;
	}

	Histories current(long value) {
		this.current = value;
		return this;
	}

	Histories account(String key, long initial, long now) {
		this.others.add(new Resource(key, initial, now, List.of()));
		return this;
	}

	Histories left(String entry) {
		this.leftovers.add(entry);
		return this;
	}

	/** The faults end at 1000, recovery may take 500, a job keeps its lock for 600. */
	History build() {
		List<Resource> resources = new ArrayList<>(this.others);
		resources.add(new Resource("k", 0, this.current, this.accepted));
		return new History(this.operations, resources, List.of(), millis(1000), Duration.ofMillis(600),
				Duration.ofMillis(500), this.leftovers);
	}

	private static long millis(long value) {
		return value * 1_000_000;
	}

}
