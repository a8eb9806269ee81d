package org.lockspring.benchmarks;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * A number that a run has to reach.
 *
 * @param workload the id of the workload
 * @param text what has to be how large
 * @param atLeast whether more is better
 * @param limit the worst number that is good enough
 * @param measured finds the number in the results
 */
record Target(String workload, String text, boolean atLeast, double limit, Function<Results, OptionalDouble> measured) {

	/**
	 * Return one row of a Markdown table, or nothing if this was not measured.
	 */
	String row(Results results) {
		OptionalDouble number = this.measured.apply(results);
		if (number.isEmpty()) {
			return "";
		}
		return String.format(Locale.ROOT, "| %s | %s | %s | %s |%n", this.workload, this.text,
				Numbers.text(number.getAsDouble()), isMet(number.getAsDouble()) ? "met" : "**missed**");
	}

	private boolean isMet(double number) {
		return this.atLeast ? number >= this.limit : number <= this.limit;
	}

}
