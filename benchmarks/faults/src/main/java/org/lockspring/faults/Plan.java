package org.lockspring.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.lockspring.faults.matrix.Backend;
import org.lockspring.faults.matrix.Cell;
import org.lockspring.faults.matrix.Expectations;
import org.lockspring.faults.matrix.Kind;
import org.lockspring.faults.matrix.Matrix;
import org.lockspring.faults.nemesis.Nemesis;
import org.lockspring.faults.nemesis.Schedule;

/**
 * Which runs there will be, and for how long each has faults; computed from the settings
 * alone.
 *
 * @param cells the runs, by store
 * @param length how long each has faults
 * @param isSelection whether there was no time for all
 */
record Plan(List<Cell> cells, Duration length, boolean isSelection) {

	private static final Duration SHORTEST = Duration.ofMillis(4500);

	/** What a run takes besides its faults: recovery, rest, checks. */
	private static final Duration AROUND = Duration.ofMillis(3500);

	private static final Duration START_OF_A_STORE = Duration.ofSeconds(8);

	static Plan of(Settings settings) {
		List<Cell> all = Matrix.cells().stream().filter((cell) -> settings.wants(cell.name())).toList();
		Duration length = length(settings.duration(), all);
		if (length.compareTo(SHORTEST) >= 0) {
			return new Plan(byStore(all), length, false);
		}
		List<Cell> selection = select(all, new Random(settings.seed()));
		Duration longer = length(settings.duration(), selection);
		return new Plan(byStore(selection), (longer.compareTo(SHORTEST) < 0) ? SHORTEST : longer, true);
	}

	private static Duration length(Duration total, Collection<Cell> cells) {
		long stores = cells.stream().map(Cell::backend).distinct().count();
		return total.minus(START_OF_A_STORE.multipliedBy(stores)).dividedBy(Math.max(1, cells.size())).minus(AROUND);
	}

	/** Every store, every kind of faults, every control. */
	private static List<Cell> select(List<Cell> all, Random random) {
		Map<Nemesis, List<Cell>> choices = new HashMap<>();
		Set<Cell> selection = new HashSet<>();
		for (Cell cell : all) {
			if (cell.kind() == Kind.CONTROL) {
				selection.add(cell);
			}
			else if (cell.kind() == Kind.CORRECTNESS) {
				choices.computeIfAbsent(cell.nemesis(), (nemesis) -> new ArrayList<>()).add(cell);
			}
		}
		Map<Backend, Integer> taken = new HashMap<>();
		for (Nemesis nemesis : EnumSet.allOf(Nemesis.class)) {
			List<Cell> candidates = choices.getOrDefault(nemesis, new ArrayList<>());
			Collections.shuffle(candidates, random);
			// The store that had the fewest so far
			candidates.stream()
				.min(Comparator.comparingInt((cell) -> taken.getOrDefault(cell.backend(), 0)))
				.ifPresent((cell) -> {
					selection.add(cell);
					taken.merge(cell.backend(), 1, Integer::sum);
				});
		}
		return all.stream().filter(selection::contains).toList();
	}

	/**
	 * Whoever loses all of its memory comes last: its applications have to be started
	 * again.
	 */
	private static List<Cell> byStore(List<Cell> cells) {
		return cells.stream()
			.sorted(Comparator.comparing(Cell::backend)
				.thenComparing((cell) -> cell.kind() == Kind.CORRECTNESS && cell.nemesis() == Nemesis.STORE_EMPTY))
			.toList();
	}

	Schedule schedule(Cell cell, long seed) {
		List<Nemesis> combined = cell.backend()
			.nemeses()
			.stream()
			.filter((nemesis) -> nemesis != Nemesis.COMBINED
					&& Expectations.of(cell.backend(), nemesis).broken().isEmpty())
			.toList();
		return Schedule.of(seed, cell.name(), cell.nemesis(), combined, this.length);
	}

}
