package org.lockspring.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * All that was measured in one run. Samples of one contestant may come in several parts.
 */
final class Results {

	private final Map<String, Measurement> measurements = new LinkedHashMap<>();

	private final Map<String, String> skipped = new LinkedHashMap<>();

	private boolean failed;

	void add(String workload, String contestant, String metric, String unit, List<Double> samples) {
		this.measurements.merge(workload + "/" + contestant + "/" + metric,
				new Measurement(workload, contestant, metric, unit, samples), Results::join);
		System.out.printf(Locale.ROOT, "  %-14s %-32s %-28s %12.3f %s%n", workload, contestant, metric,
				new Measurement(workload, contestant, metric, unit, samples).median(), unit);
	}

	void add(String workload, String contestant, String metric, String unit, double sample) {
		add(workload, contestant, metric, unit, List.of(sample));
	}

	private static Measurement join(Measurement one, Measurement two) {
		List<Double> samples = new ArrayList<>(one.samples());
		samples.addAll(two.samples());
		return new Measurement(one.workload(), one.contestant(), one.metric(), one.unit(), samples);
	}

	/**
	 * Tell why a workload was not measured.
	 */
	void skip(String workload, String reason) {
		this.skipped.put(workload, reason);
		System.out.println("  " + workload + " skipped: " + reason);
	}

	/**
	 * Tell that a workload could not be measured to its end.
	 */
	void fail(String workload, Exception reason) {
		this.failed = true;
		skip(workload, "not to its end, " + reason);
	}

	boolean hasFailed() {
		return this.failed;
	}

	List<Measurement> all() {
		return List.copyOf(this.measurements.values());
	}

	Map<String, String> skipped() {
		return this.skipped;
	}

	OptionalDouble max(String workload, String contestant, String metric) {
		Measurement found = this.measurements.get(workload + "/" + contestant + "/" + metric);
		return (found != null) ? OptionalDouble.of(found.max()) : OptionalDouble.empty();
	}

	OptionalDouble median(String workload, String contestant, String metric) {
		Measurement found = this.measurements.get(workload + "/" + contestant + "/" + metric);
		return (found != null) ? OptionalDouble.of(found.median()) : OptionalDouble.empty();
	}

}
