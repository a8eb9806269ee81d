package org.lockspring.faults.worker;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.lockspring.faults.history.Held;
import org.lockspring.faults.history.Operation;
import org.lockspring.faults.history.Outcome;
import org.lockspring.faults.workload.Holding;

/**
 * An operation under way. Bodies run on the thread that asks for the lock.
 */
final class Attempt {

	private final Operation operation;

	private @Nullable Long granted;

	private @Nullable Long left;

	private List<Held> held = List.of();

	Attempt(Operation operation) {
		this.operation = operation;
	}

	Operation operation() {
		return this.operation;
	}

	void granted() {
		this.granted = System.nanoTime();
	}

	boolean wasGranted() {
		return this.granted != null;
	}

	/** The clock first: who is valid now was valid then. */
	void left(Holding holding) {
		this.left = System.nanoTime();
		this.held = this.operation.keys()
			.stream()
			.map((key) -> new Held(key, holding.token(key), holding.isValid(key)))
			.toList();
	}

	Operation ended(Outcome outcome, @Nullable Exception ex) {
		Operation begun = this.operation;
		return new Operation(begun.id(), begun.worker(), begun.workload(), begun.keys(), begun.start(), this.granted,
				this.left, System.nanoTime(), outcome, (ex != null) ? ex.getClass().getSimpleName() : null, this.held);
	}

}
