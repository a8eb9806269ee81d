package org.lockspring.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes what was measured: as JSON, as a Markdown table, as charts.
 */
final class Report {

	private final Results results;

	private final Map<String, String> facts;

	Report(Results results, Map<String, String> facts) {
		this.results = results;
		this.facts = facts;
	}

	void write(Path directory, List<Workload> workloads) throws IOException {
		Files.createDirectories(directory);
		Files.writeString(directory.resolve("benchmarks.json"), json());
		Files.writeString(directory.resolve("benchmarks.md"), markdown(workloads));
		for (Workload workload : workloads) {
			List<Measurement> bars = of(workload).stream()
				.filter((measurement) -> measurement.metric().equals(workload.charted()))
				.toList();
			if (!bars.isEmpty()) {
				Files.writeString(directory.resolve("benchmark-" + workload.id() + ".svg"),
						new Chart(workload.title(), bars).svg());
			}
		}
	}

	String markdown(List<Workload> workloads) {
		StringBuilder text = new StringBuilder();
		this.facts.forEach((name, value) -> text.append("- ").append(name).append(": ").append(value).append('\n'));
		for (Workload workload : workloads) {
			List<Measurement> measured = of(workload);
			if (!measured.isEmpty()) {
				text.append("\n### ").append(workload.title()).append("\n\n").append(table(measured));
			}
			String reason = this.results.skipped().get(workload.id());
			if (reason != null) {
				text.append("\n### ").append(workload.title()).append("\n\nSkipped: ").append(reason).append(".\n");
			}
		}
		String rows = Targets.all().stream().map((target) -> target.row(this.results)).collect(Collectors.joining());
		if (!rows.isEmpty()) {
			text.append("\n### Targets\n\n| workload | target | measured | |\n| --- | --- | ---: | --- |\n")
				.append(rows);
		}
		return text.toString();
	}

	private List<Measurement> of(Workload workload) {
		return this.results.all()
			.stream()
			.filter((measurement) -> measurement.workload().equals(workload.id()))
			.toList();
	}

	/**
	 * Contestants below each other, metrics beside each other: median, and all there was.
	 */
	private static String table(List<Measurement> measured) {
		Set<String> metrics = new LinkedHashSet<>();
		Map<String, Map<String, String>> rows = new LinkedHashMap<>();
		for (Measurement measurement : measured) {
			String metric = measurement.metric() + ", " + measurement.unit();
			metrics.add(metric);
			rows.computeIfAbsent(measurement.contestant(), (name) -> new LinkedHashMap<>())
				.put(metric, cell(measurement));
		}
		StringBuilder text = new StringBuilder("| | " + String.join(" | ", metrics) + " |\n");
		text.append("| --- |").append(" ---: |".repeat(metrics.size())).append('\n');
		rows.forEach((contestant, cells) -> {
			List<String> row = new ArrayList<>(List.of(contestant));
			metrics.forEach((metric) -> row.add(cells.getOrDefault(metric, "")));
			text.append("| ").append(String.join(" | ", row)).append(" |\n");
		});
		return text.toString();
	}

	private static String cell(Measurement measurement) {
		String median = Numbers.text(measurement.median());
		return (measurement.samples().size() > 1)
				? "%s (%s to %s)".formatted(median, Numbers.text(measurement.min()), Numbers.text(measurement.max()))
				: median;
	}

	private String json() {
		String machine = this.facts.entrySet()
			.stream()
			.map((fact) -> "    " + quoted(fact.getKey()) + ": " + quoted(fact.getValue()))
			.collect(Collectors.joining(",\n"));
		String measured = this.results.all().stream().map(Report::json).collect(Collectors.joining(",\n"));
		return "{\n  \"machine\": {\n" + machine + "\n  },\n  \"measured\": [\n" + measured + "\n  ]\n}\n";
	}

	private static String json(Measurement measurement) {
		return String.format(Locale.ROOT,
				"    {\"workload\": %s, \"contestant\": %s, \"metric\": %s, \"unit\": %s, \"median\": %s, \"samples\": %s}",
				quoted(measurement.workload()), quoted(measurement.contestant()), quoted(measurement.metric()),
				quoted(measurement.unit()), measurement.median(), measurement.samples());
	}

	private static String quoted(String text) {
		return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

}
