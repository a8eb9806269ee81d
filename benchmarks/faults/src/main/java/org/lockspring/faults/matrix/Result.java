package org.lockspring.faults.matrix;

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
public record Result(Cell cell, History history, Map<Promise, List<String>> violations) {

	/**
	 * Return whether everything was as it has to be.
	 * @return {@code false} if the campaign fails
	 */
	public boolean isExpected() {
		return switch (this.cell.kind()) {
			case CORRECTNESS -> broken().isEmpty();
			case CONTROL -> !broken().isEmpty();
			case EFFICIENCY, PEER -> true;
		};
	}

	/**
	 * Return the promises of this run that were broken.
	 * @return promises, or what a control was to break
	 */
	public List<Promise> broken() {
		return this.violations.keySet().stream().filter(this.cell.promised()::contains).toList();
	}

	/**
	 * Count operations.
	 * @param outcome of which outcome
	 * @return how many
	 */
	public long count(Outcome outcome) {
		return this.history.operations().stream().filter((operation) -> operation.outcome() == outcome).count();
	}

	/**
	 * Count what stale holders were not allowed to write.
	 * @return how many operations were refused
	 */
	public long refused() {
		return this.history.operations().stream().filter(Operation::isRefused).count();
	}

	/**
	 * Count bodies that began while another one of the same key ran.
	 * @return how many
	 */
	public int duplicates() {
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
