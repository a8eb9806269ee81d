package org.lockspring.faults.matrix;

import java.util.EnumMap;
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
 * @param operations how many
 * @param outcomes how many ended how
 * @param faults how many
 * @param refused how many operations of stale holders were refused
 * @param overlaps how many bodies began while another one of the same key ran
 * @param violations of every promise, whether it was given or not
 */
public record Result(Cell cell, int operations, Map<Outcome, Integer> outcomes, int faults, int refused, int overlaps,
		Map<Promise, List<String>> violations) {

	/**
	 * Check a history.
	 * @param cell the run
	 * @param history all that happened in it
	 * @return the result, which does not keep the history
	 */
	public static Result of(Cell cell, History history) {
		Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
		history.operations().forEach((operation) -> outcomes.merge(operation.outcome(), 1, Integer::sum));
		Map<Promise, List<String>> violations = new EnumMap<>(Promise.class);
		for (Promise promise : Promise.values()) {
			List<String> found = promise.violations(history);
			if (!found.isEmpty()) {
				violations.put(promise, found);
			}
		}
		int refused = (int) history.operations().stream().filter(Operation::isRefused).count();
		return new Result(cell, history.operations().size(), outcomes, history.faults().size(), refused,
				Holders.duplicates(history), violations);
	}

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
	public int count(Outcome outcome) {
		return this.outcomes.getOrDefault(outcome, 0);
	}

	@Override
	public String toString() {
		StringBuilder line = new StringBuilder(
				"%-32s %6d operations (%d ok, %d failed, %d unknown), %d faults, %d refused, %d overlaps".formatted(
						this.cell.name(), this.operations, count(Outcome.OK), count(Outcome.FAILED),
						count(Outcome.UNKNOWN), this.faults, this.refused, this.overlaps));
		line.append((this.cell.kind() != Kind.CONTROL) ? "" : isExpected() ? ": caught" : ": NOT CAUGHT");
		this.violations.forEach((promise, found) -> line.append(
				"\n    %s%s, %d times: %s".formatted(prefix(promise), promise.label(), found.size(), found.get(0))));
		return line.toString();
	}

	private String prefix(Promise promise) {
		return switch (this.cell.kind()) {
			case CORRECTNESS -> this.cell.promised().contains(promise) ? "VIOLATION of " : "not promised: ";
			case CONTROL, EFFICIENCY, PEER -> "";
		};
	}

}
