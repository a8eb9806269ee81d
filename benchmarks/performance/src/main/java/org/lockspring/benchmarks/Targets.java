package org.lockspring.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/**
 * What a run has to reach, as ratios of medians wherever a machine's speed would count.
 */
final class Targets {

	private static final String TIMES_RAW_AWAITED = " x raw, both answers awaited";

	private static final String TIMES_RAW = " x raw, release not awaited";

	private static final String TIMES_BEST = " x the best competitor";

	private final List<Target> targets = new ArrayList<>();

	private Targets() {
	}

	static List<Target> all() {
		Targets targets = new Targets();
		targets.uncontended();
		targets.hotKey();
		targets.waiting();
		targets.otherStores();
		targets.costs();
		return targets.targets;
	}

	private void uncontended() {
		String pairs = Uncontended.PAIRS;
		atLeast("uncontended-1", "EFFICIENCY", 1.6, TIMES_RAW_AWAITED,
				ratio("uncontended-1", pairs, Contestants.EFFICIENCY, List.of(Contestants.RAW_AWAITED)));
		atLeast("uncontended-1", "EFFICIENCY", 0.95, TIMES_RAW,
				ratio("uncontended-1", pairs, Contestants.EFFICIENCY, List.of(Contestants.RAW)));
		for (String many : List.of("uncontended-16", "uncontended-1000")) {
			atLeast(many, "EFFICIENCY", 0.95, TIMES_RAW,
					ratio(many, pairs, Contestants.EFFICIENCY, List.of(Contestants.RAW)));
			atLeast(many, "EFFICIENCY", 1.3, TIMES_BEST,
					ratio(many, pairs, Contestants.EFFICIENCY, Contestants.COMPETITORS));
		}
		for (String few : List.of("uncontended-1", "uncontended-16")) {
			atLeast(few, "CORRECTNESS", 0.85, TIMES_RAW_AWAITED,
					ratio(few, pairs, Contestants.CORRECTNESS, List.of(Contestants.RAW_AWAITED)));
		}
		atLeast("uncontended-16", "CORRECTNESS", 2, " x Redisson RFencedLock",
				ratio("uncontended-16", pairs, Contestants.CORRECTNESS, List.of(Contestants.REDISSON_FENCED)));
	}

	private void hotKey() {
		atLeast("hot-1x16", "EFFICIENCY", 8, TIMES_BEST,
				ratio("hot-1x16", HotKey.PAIRS, Contestants.EFFICIENCY, Contestants.COMPETITORS));
		atLeast("hot-1x16", "CORRECTNESS", 3, TIMES_BEST,
				ratio("hot-1x16", HotKey.PAIRS, Contestants.CORRECTNESS, Contestants.COMPETITORS));
		for (Contestants ours : List.of(Contestants.EFFICIENCY, Contestants.CORRECTNESS)) {
			atMost("hot-1x16", ours.name() + ", p99 of the wait", 0.2, TIMES_BEST,
					(results) -> divide(results.median("hot-1x16", ours.title(), HotKey.P99),
							all(results, "hot-1x16", HotKey.P99, Contestants.COMPETITORS).min()));
			atLeast("hot-4x4", ours.name(), 2, TIMES_BEST,
					ratio("hot-4x4", HotKey.PAIRS, ours, Contestants.COMPETITORS));
			atLeast("hot-4x4", ours.name() + ", smallest share", 15, " % for each JVM",
					(results) -> results.median("hot-4x4", ours.title(), HotKey.SHARE));
		}
	}

	private void waiting() {
		for (Contestants ours : List.of(Contestants.EFFICIENCY, Contestants.CORRECTNESS)) {
			atMost("wake-up", ours.name() + ", p50", 3, " round trips",
					(results) -> results.median("wake-up", ours.title(), WakeUp.ROUND_TRIPS));
			atMost("wake-up", ours.name(), 0.1, " x RedisLockRegistry, pub-sub",
					ratio("wake-up", WakeUp.LATENCY, ours, List.of(Contestants.REGISTRY_PUB_SUB)));
			atMost("crash", ours.name() + ", latest", 50, " ms after the ttl",
					(results) -> results.max("crash", ours.title(), CrashedHolder.LATE));
		}
	}

	private void otherStores() {
		// A pair takes as long as there are few of them in a second
		atMost("redlock", "5 servers", 2, " x the time of one server",
				(results) -> divide(results.median("redlock", Redlock.ONE, Redlock.PAIRS),
						results.median("redlock", Redlock.FIVE, Redlock.PAIRS)));
		atMost("redlock", "one of 5 stopped", 1.1, " x the time of 5",
				(results) -> divide(results.median("redlock", Redlock.FIVE, Redlock.PAIRS),
						results.median("redlock", Redlock.STOPPED, Redlock.PAIRS)));
		for (Stores store : List.of(Stores.ETCD, Stores.ZOOKEEPER, Stores.JDBC)) {
			atMost(store.store(), "CORRECTNESS", 1.3, " x the time by hand",
					(results) -> divide(results.median(store.store(), Stores.ETCD_BY_HAND.title(), StorePairs.PAIRS),
							results.median(store.store(), store.title(), StorePairs.PAIRS)));
		}
	}

	private void costs() {
		atMost("renewal", "10 000 leases", 110, " commands per interval",
				(results) -> results.median("renewal", Renewal.OURS, Renewal.COMMANDS));
		atMost("renewal", "10 000 leases", 5, " % of a core",
				(results) -> results.median("renewal", Renewal.OURS, Renewal.CORE));
		atMost("aspect", "annotation less template", 1000, " ns",
				(results) -> subtract(results.median("aspect", Aspect.ANNOTATION, Aspect.TIME),
						results.median("aspect", Aspect.TEMPLATE, Aspect.TIME)));
		atMost("aspect", "annotation less template", 500, " bytes",
				(results) -> subtract(results.median("aspect", Aspect.ANNOTATION, Aspect.ALLOCATED),
						results.median("aspect", Aspect.TEMPLATE, Aspect.ALLOCATED)));
		atMost("start-up", "with the starter", 150, " ms more",
				(results) -> subtract(results.median("start-up", StartUp.WITH, StartUp.TIME),
						results.median("start-up", StartUp.WITHOUT, StartUp.TIME)));
	}

	private void atLeast(String workload, String what, double limit, String unit,
			Function<Results, OptionalDouble> measured) {
		this.targets
			.add(new Target(workload, what + ": at least " + Numbers.text(limit) + unit, true, limit, measured));
	}

	private void atMost(String workload, String what, double limit, String unit,
			Function<Results, OptionalDouble> measured) {
		this.targets
			.add(new Target(workload, what + ": at most " + Numbers.text(limit) + unit, false, limit, measured));
	}

	private static Function<Results, OptionalDouble> ratio(String workload, String metric, Contestants ours,
			Collection<Contestants> others) {
		return (results) -> divide(results.median(workload, ours.title(), metric),
				all(results, workload, metric, others).max());
	}

	private static DoubleStream all(Results results, String workload, String metric, Collection<Contestants> of) {
		return of.stream().flatMapToDouble((other) -> results.median(workload, other.title(), metric).stream());
	}

	private static OptionalDouble subtract(OptionalDouble one, OptionalDouble other) {
		return (one.isPresent() && other.isPresent()) ? OptionalDouble.of(one.getAsDouble() - other.getAsDouble())
				: OptionalDouble.empty();
	}

	private static OptionalDouble divide(OptionalDouble one, OptionalDouble other) {
		return (one.isPresent() && other.isPresent()) ? OptionalDouble.of(one.getAsDouble() / other.getAsDouble())
				: OptionalDouble.empty();
	}

}
