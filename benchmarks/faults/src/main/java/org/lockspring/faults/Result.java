package org.lockspring.faults;

import java.util.List;
import java.util.Map;

import org.lockspring.faults.checker.Holders;
import org.lockspring.faults.checker.Promise;
import org.lockspring.faults.history.History;
import org.lockspring.faults.history.Operation;
import org.lockspring.faults.history.Outcome;

/**
 * What a run has shown.
 *
 * @param cell the run
 * @param history all that happened
 * @param violations of every promise, whether it was given or not
 */
record Result(Cell cell, History history, Map<Promise, List<String>> violations) {

	/** Return whether everything was as it has to be. */
	boolean isExpected() {
		return switch (this.cell.kind()) {
			case CORRECTNESS -> broken().isEmpty();
			case CONTROL -> !broken().isEmpty();
			case EFFICIENCY, PEER -> true;
		};
	}

	/** Return the promises of this run that were broken. */
	List<Promise> broken() {
		return this.violations.keySet().stream().filter(this.cell.promised()::contains).toList();
	}

	/** Return the promises that nobody gave, and that did not hold. */
	List<Promise> otherwise() {
		return this.violations.keySet().stream().filter((promise) -> !this.cell.promised().contains(promise)).toList();
	}

	long count(Outcome outcome) {
		return this.history.operations().stream().filter((operation) -> operation.outcome() == outcome).count();
	}

	long refused() {
		return this.history.operations().stream().filter(Operation::isRefused).count();
	}

	int duplicates() {
		return Holders.duplicates(this.history);
	}

	@Override
	public String toString() {
		StringBuilder line = new StringBuilder(
				"%-30s %6d operations (%d ok, %d failed, %d unknown), %d faults, %d refused, %d overlaps".formatted(
						this.cell.name(), this.history.operations().size(), count(Outcome.OK), count(Outcome.FAILED),
						count(Outcome.UNKNOWN), this.history.faults().size(), refused(), duplicates()));
		line.append(this.cell.kind() == Kind.CONTROL ? (isExpected() ? ": caught" : ": NOT CAUGHT") : "");
		this.violations.forEach((promise, found) -> line.append("\n    %s%s %d: %s".formatted(
				(this.cell.kind() == Kind.CORRECTNESS && this.cell.promised().contains(promise)) ? "VIOLATION " : "",
				promise, found.size(), found.get(0))));
		return line.toString();
	}

}
