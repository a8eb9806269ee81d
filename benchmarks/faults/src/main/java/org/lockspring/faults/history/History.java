package org.lockspring.faults.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * All that is known of one run.
 *
 * @param operations what the workers did, in the order of their starts
 * @param resources what became of the resources
 * @param faults what was done to them
 * @param healed when the last fault was over
 * @param minHold how long a job keeps its lock at least
 * @param recovery how long after the last fault every workload must work again
 * @param leftovers entries of locks that were still in the store long after everybody had
 * stopped
 */
public record History(List<Operation> operations, List<Resource> resources, List<Injected> faults, long healed,
		Duration minHold, Duration recovery, List<String> leftovers) {

	/**
	 * Return what held a lock, for each key.
	 * @return holdings in the order of the operations' starts
	 */
	public Map<String, List<Holding>> holdings() {
		Map<String, List<Holding>> byKey = new TreeMap<>();
		for (Operation operation : this.operations) {
			Long granted = operation.granted();
			Long left = operation.left();
			if (granted != null && left != null) {
				for (Held held : operation.held()) {
					byKey.computeIfAbsent(held.key(), (key) -> new ArrayList<>())
						.add(new Holding(operation, held, granted, left));
				}
			}
		}
		return byKey;
	}

	/**
	 * Return the operations of one workload.
	 * @param workload its name
	 * @return the operations in the order of their starts
	 */
	public Stream<Operation> of(String workload) {
		return this.operations.stream().filter((operation) -> operation.workload().equals(workload));
	}

	/**
	 * One lock in the hands of one operation.
	 *
	 * @param operation who
	 * @param held what
	 * @param granted the body begins
	 * @param left the body has ended
	 */
	public record Holding(Operation operation, Held held, long granted, long left) {

	}

}
