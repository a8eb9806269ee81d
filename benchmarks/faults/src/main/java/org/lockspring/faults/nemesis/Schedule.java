package org.lockspring.faults.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

import org.lockspring.faults.workload.Timing;

/**
 * When which fault comes, computed before the run from nothing but the seed.
 *
 * @param faults in the order of their beginning
 */
public record Schedule(List<Fault> faults) {

	private static final int WARM_UP = 700;

	private static final Duration BUDGET = Duration.ofSeconds(8);

	private static final int TTL = (int) Timing.TTL.toMillis();

	/**
	 * Compute a schedule.
	 * @param seed the campaign's
	 * @param run the name of the run, so that each has a schedule of its own
	 * @param nemesis the kind of faults
	 * @param combined for {@link Nemesis#COMBINED}, what may be combined
	 * @param length for how long
	 * @return as many faults as there is time for, at least one
	 */
	public static Schedule of(long seed, String run, Nemesis nemesis, Collection<Nemesis> combined, Duration length) {
		Random random = new Random(seed * 31 + run.hashCode());
		// The first numbers of similar seeds are similar
		random.nextLong();
		int only = random.nextInt(3);
		List<Fault> faults = new ArrayList<>();
		int at = WARM_UP;
		while (faults.isEmpty() || at + TTL < length.toMillis()) {
			int end = at;
			for (Nemesis kind : kinds(nemesis, combined, random)) {
				Fault fault = fault(kind, at + random.nextInt(TTL / 3), only, random);
				faults.add(fault);
				end = Math.max(end, fault.end());
			}
			at = end + TTL / 3 + random.nextInt(TTL);
		}
		faults.sort(Comparator.comparingInt(Fault::at));
		return new Schedule(List.copyOf(faults));
	}

	private static List<Nemesis> kinds(Nemesis nemesis, Collection<Nemesis> combined, Random random) {
		if (nemesis != Nemesis.COMBINED) {
			return List.of(nemesis);
		}
		List<Nemesis> ofWorkers = combined.stream().filter(Nemesis::hitsWorkers).sorted().toList();
		List<Nemesis> others = combined.stream().filter((kind) -> !kind.hitsWorkers()).sorted().toList();
		return List.of(ofWorkers.get(random.nextInt(ofWorkers.size())), others.get(random.nextInt(others.size())));
	}

	private static Fault fault(Nemesis kind, int at, int only, Random random) {
		int target = random.nextInt(kind.targets());
		int width = (random.nextInt(3) == 0) ? 2 : 1;
		int length = kind.lengths().get(random.nextInt(kind.lengths().size()));
		return kind.hitsOneOnly() ? new Fault(kind, at, only, 1, length) : new Fault(kind, at, target, width, length);
	}

	/**
	 * Return how long after the last fault everything has to work again. A client that
	 * could not connect for long waits as long before it tries again; an entry lives
	 * longer by every step of a clock back.
	 * @return three ttl, what a busy machine needs, and that
	 */
	public Duration recovery() {
		int longest = this.faults.stream().mapToInt(Fault::length).max().orElse(0);
		long stepsBack = this.faults.stream().filter((fault) -> fault.kind() == Nemesis.STORE_CLOCK_BACK).count();
		return Timing.TTL.multipliedBy(3)
			.plus(BUDGET)
			.plusMillis(longest)
			.plus(Timing.STEP_BACK.multipliedBy(stepsBack));
	}

}
