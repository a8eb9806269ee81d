package org.lockspring.benchmarks;

import java.util.List;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;

/**
 * The annotation beside the template, both without a store.
 */
final class Aspect implements Workload {

	static final String TEMPLATE = "EFFICIENCY, template";

	static final String ANNOTATION = "EFFICIENCY, annotation";

	static final String TIME = "time";

	static final String ALLOCATED = "allocated";

	@Override
	public String id() {
		return "aspect";
	}

	@Override
	public String title() {
		return "In-memory backend, own keys, 1 thread";
	}

	@Override
	public void run(Session session) {
		Forks forks = new Forks(session.smoke());
		for (int round = 0; round < forks.rounds(); round++) {
			add(session, TEMPLATE,
					forks.run("AspectBenchmark.template", (options) -> options.addProfiler(GCProfiler.class)));
			add(session, ANNOTATION,
					forks.run("AspectBenchmark.annotation", (options) -> options.addProfiler(GCProfiler.class)));
		}
	}

	private void add(Session session, String contestant, RunResult result) {
		session.results().add(id(), contestant, TIME, "ns per call", Forks.scores(result));
		List<Double> bytes = result.getAggregatedResult()
			.getIterationResults()
			.stream()
			.map(Aspect::allocated)
			.toList();
		session.results().add(id(), contestant, ALLOCATED, "bytes per call", bytes);
	}

	private static Double allocated(IterationResult iteration) {
		return iteration.getSecondaryResults()
			.entrySet()
			.stream()
			.filter((result) -> result.getKey().endsWith("gc.alloc.rate.norm"))
			.map((result) -> result.getValue().getScore())
			.findFirst()
			.orElseThrow();
	}

}
