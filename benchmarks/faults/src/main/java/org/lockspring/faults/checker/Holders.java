package org.lockspring.faults.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.lockspring.faults.history.History;
import org.lockspring.faults.history.History.Holding;

/**
 * Checks who held a lock when.
 */
public final class Holders {

	private Holders() {
	}

	/**
	 * Whoever stalls past the end of his lease runs beside the next holder; no lock can
	 * prevent that. But he then no longer believes to hold it.
	 */
	static List<String> oneValid(History history) {
		List<String> violations = new ArrayList<>();
		history.holdings()
			.forEach((key, holdings) -> overlaps(holdings.stream().filter((holding) -> holding.held().valid()).toList(),
					(first, second) -> violations.add("'%s' was held by %s, and %s got it %.1f ms before that ended"
						.formatted(key, first.operation().id(), second.operation().id(),
								(first.left() - second.granted()) / 1e6))));
		return violations;
	}

	/**
	 * Count bodies that began while another one of the same key ran, valid or not.
	 * @param history all that is known of a run
	 * @return how many
	 */
	public static int duplicates(History history) {
		int[] count = { 0 };
		history.holdings().values().forEach((holdings) -> overlaps(holdings, (first, second) -> count[0]++));
		return count[0];
	}

	/**
	 * Of the second run, the grant came before its body began; of the first, after it was
	 * asked for. Clocks that run apart have the allowance that a lease gives them.
	 */
	static List<String> minHold(History history) {
		long shortest = history.minHold().toNanos() * 99 / 100 - 2_000_000;
		List<Holding> runs = sorted(history.holdings()
			.values()
			.stream()
			.flatMap(List::stream)
			.filter((holding) -> holding.operation().workload().equals("job"))
			.toList());
		List<String> violations = new ArrayList<>();
		@Nullable Holding last = null;
		for (Holding run : runs) {
			if (last != null && run.granted() - last.operation().start() < shortest) {
				violations.add(String.format(Locale.ROOT, "%s ran at most %.1f ms after %s", run.operation().id(),
						(run.granted() - last.operation().start()) / 1e6, last.operation().id()));
			}
			last = run;
		}
		return violations;
	}

	private static void overlaps(List<Holding> holdings, Overlap found) {
		@Nullable Holding longest = null;
		for (Holding holding : sorted(holdings)) {
			if (longest != null && holding.granted() < longest.left()) {
				found.add(longest, holding);
			}
			longest = (longest == null || holding.left() > longest.left()) ? holding : longest;
		}
	}

	private static List<Holding> sorted(List<Holding> holdings) {
		return holdings.stream().sorted(Comparator.comparingLong(Holding::granted)).toList();
	}

	private interface Overlap {

		void add(Holding first, Holding second);

	}

}
