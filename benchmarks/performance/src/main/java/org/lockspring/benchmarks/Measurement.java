package org.lockspring.benchmarks;

import java.util.List;

/**
 * What was measured of one contestant: one number for each iteration or round.
 *
 * @param workload the id of the workload
 * @param contestant who
 * @param metric what
 * @param unit of the samples
 * @param samples at least one
 */
record Measurement(String workload, String contestant, String metric, String unit, List<Double> samples) {

	Measurement {
		if (samples.isEmpty()) {
			throw new IllegalArgumentException("Nothing measured: " + workload + " " + contestant + " " + metric);
		}
		samples = List.copyOf(samples);
	}

	double median() {
		return percentile(50);
	}

	double min() {
		return percentile(0);
	}

	double max() {
		return percentile(100);
	}

	double percentile(int percent) {
		double[] sorted = this.samples.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		double position = percent / 100.0 * (sorted.length - 1);
		int below = (int) position;
		int above = Math.min(below + 1, sorted.length - 1);
		return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
	}

}
