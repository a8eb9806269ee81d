package org.lockspring.faults.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.lockspring.faults.history.History;
import org.lockspring.faults.history.History.Holding;

/**
 * Checks the tokens that were given out, whether or not a resource has seen them.
 */
final class Tokens {

	private Tokens() {
	}

	static List<String> unique(History history) {
		List<String> violations = new ArrayList<>();
		history.holdings().forEach((key, holdings) -> {
			Map<Long, Holding> seen = new HashMap<>();
			for (Holding holding : withToken(holdings)) {
				Holding before = seen.putIfAbsent(token(holding), holding);
				if (before != null) {
					violations.add("Token %d of '%s' was given to %s and to %s".formatted(token(holding), key,
							before.operation().id(), holding.operation().id()));
				}
			}
		});
		return violations;
	}

	/**
	 * Compare each with the largest token among those who held theirs before it asked.
	 */
	static List<String> rise(History history) {
		List<String> violations = new ArrayList<>();
		history.holdings().forEach((key, holdings) -> {
			List<Holding> byStart = withToken(holdings);
			List<Holding> byGrant = new ArrayList<>(byStart);
			byGrant.sort(Comparator.comparingLong(Holding::granted));
			@Nullable Holding largest = null;
			int next = 0;
			for (Holding holding : byStart) {
				while (byGrant.get(next).granted() < holding.operation().start()) {
					Holding earlier = byGrant.get(next++);
					largest = (largest == null || token(earlier) > token(largest)) ? earlier : largest;
				}
				if (largest != null && token(holding) < token(largest)) {
					violations.add("Token %d of '%s' for %s is smaller than %d, which %s had before".formatted(
							token(holding), key, holding.operation().id(), token(largest), largest.operation().id()));
				}
			}
		});
		return violations;
	}

	private static List<Holding> withToken(List<Holding> holdings) {
		return holdings.stream().filter((holding) -> holding.held().token() != null).toList();
	}

	private static long token(Holding holding) {
		return Objects.requireNonNull(holding.held().token());
	}

}
