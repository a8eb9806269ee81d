package org.lockspring.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.lockspring.faults.history.History;
import org.lockspring.faults.history.Operation;
import org.lockspring.faults.matrix.Backend;
import org.lockspring.faults.matrix.Cell;
import org.lockspring.faults.matrix.Kind;
import org.lockspring.faults.matrix.Result;
import org.lockspring.faults.nemesis.Schedule;
import org.lockspring.faults.report.Tables;
import org.lockspring.faults.report.Timeline;
import org.lockspring.faults.resource.Resources;
import org.lockspring.faults.store.Store;
import org.lockspring.faults.store.Stores;
import org.lockspring.faults.worker.Workers;
import org.lockspring.faults.workload.Timing;
import org.lockspring.redis.RedlockWithoutSecondRound;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.util.FileSystemUtils;

/**
 * Runs the whole matrix, and ends with one line that sums it up. Exits with 1 if a
 * promise was broken, or a control was not caught.
 */
final class Campaign {

	/** A mistake that needs luck to be seen gets as many chances. */
	private static final int CHANCES = 10;

	private final Settings settings;

	private final Plan plan;

	private final List<Result> results = new ArrayList<>();

	/** How Redlock breaks without its second round. */
	private @Nullable String model;

	private Campaign(Settings settings) {
		this.settings = settings;
		this.plan = Plan.of(settings);
	}

	public static void main(String[] args) throws Exception {
		// The clients of the campaign itself tell every connection that a fault cuts
		LoggingSystem.get(Campaign.class.getClassLoader()).setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.OFF);
		Settings settings = Settings.read();
		FileSystemUtils.deleteRecursively(settings.directory());
		Files.createDirectories(settings.directory());
		Campaign campaign = new Campaign(settings);
		boolean complete = false;
		try {
			campaign.run();
			complete = true;
		}
		catch (Exception ex) {
			ex.printStackTrace(System.out);
		}
		String tables = new Tables(campaign.results, campaign.model).toString();
		Files.writeString(settings.directory().resolve("tables.md"), tables);
		System.out.println(tables);
		System.out.println(campaign.summary() + (complete ? "" : ", NOT COMPLETE"));
		boolean expected = campaign.model != null && campaign.results.stream().allMatch(Result::isExpected);
		System.out.flush();
		// No shutdown hooks, which may have something to say: what was started ends with
		// this JVM
		Runtime.getRuntime().halt((complete && expected) ? 0 : 1);
	}

	private void run() throws Exception {
		System.out.println("Again with: " + this.settings.command());
		System.out.printf("%d runs%s, each with faults for %.1f s%n", this.plan.cells().size(),
				this.plan.isSelection() ? " (a selection: there is no time for all)" : "",
				this.plan.length().toMillis() / 1000.0);
		writeSchedules();
		Map<Backend, List<Cell>> byBackend = this.plan.cells()
			.stream()
			.collect(Collectors.groupingBy(Cell::backend, TreeMap::new, Collectors.toList()));
		this.model = RedlockWithoutSecondRound.search();
		try (Resources resources = new Resources()) {
			for (Map.Entry<Backend, List<Cell>> entry : byBackend.entrySet()) {
				run(entry.getKey(), entry.getValue(), resources);
			}
		}
	}

	private void run(Backend backend, List<Cell> cells, Resources resources) throws Exception {
		Path directory = Files.createDirectories(this.settings.directory().resolve(backend.label())).toAbsolutePath();
		try (Store store = Stores.start(backend, resources);
				Workers workers = Workers.start(directory, (worker) -> properties(backend, store, resources, worker))) {
			for (Cell cell : cells) {
				Result result = run(cell, resources, store, workers);
				this.results.add(result);
				System.out.println(result);
			}
		}
	}

	private Result run(Cell cell, Resources resources, Store store, Workers workers) throws Exception {
		int chances = (cell.kind() == Kind.CONTROL) ? CHANCES : 1;
		for (int chance = 1;; chance++) {
			Cell again = (chance > 1) ? cell.again(chance) : cell;
			Schedule schedule = this.plan.schedule(again, this.settings.seed());
			History history = new CellRun(again, schedule, resources, store, workers).run();
			draw(again, history);
			Result result = Result.of(cell, history);
			if (result.isExpected() || chance == chances) {
				return result;
			}
		}
	}

	/** A key of which a holder was refused, if there is one. */
	private void draw(Cell cell, History history) throws IOException {
		List<String> keys = history.holdings().keySet().stream().sorted().toList();
		String key = history.operations()
			.stream()
			.filter(Operation::isRefused)
			.map((operation) -> operation.keys().get(0))
			.findFirst()
			.orElse(keys.isEmpty() ? "" : keys.get(keys.size() / 2));
		Path file = this.settings.directory().resolve("timelines").resolve(cell.name().replace('/', '.') + ".svg");
		Files.createDirectories(file.getParent());
		Files.writeString(file, new Timeline(history, key).draw());
	}

	private static Map<String, String> properties(Backend backend, Store store, Resources resources, int worker) {
		Map<String, String> properties = new HashMap<>(resources.properties());
		properties.putAll(Map.of("spring.application.name", "faults", "lock.efficiency.backend", backend.label(),
				"lock.correctness.backend", backend.label(), "lock.ttl", Timing.TTL.toMillis() + "ms", "lock.wait-time",
				Timing.WAIT.toMillis() + "ms"));
		properties.putAll(store.properties(worker));
		return properties;
	}

	private void writeSchedules() {
		try {
			StringBuilder text = new StringBuilder(this.settings.command()).append('\n');
			for (Cell cell : this.plan.cells()) {
				Schedule schedule = this.plan.schedule(cell, this.settings.seed());
				text.append('\n').append(cell.name()).append('\n');
				schedule.faults().forEach((fault) -> text.append("  ").append(fault).append('\n'));
			}
			Files.writeString(this.settings.directory().resolve("schedule.txt"), text);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private String summary() {
		long operations = this.results.stream().mapToLong(Result::operations).sum();
		long faults = this.results.stream().mapToLong(Result::faults).sum();
		long refused = this.results.stream().mapToLong(Result::refused).sum();
		long violations = this.results.stream()
			.filter((result) -> result.cell().kind() == Kind.CORRECTNESS)
			.mapToLong((result) -> result.broken().size())
			.sum();
		List<Result> controls = this.results.stream().filter((result) -> result.cell().kind() == Kind.CONTROL).toList();
		return "Faults: %d runs, %d operations, %d faults, %d refused writes, %d violations, %d of %d controls caught, seed %d"
			.formatted(this.results.size(), operations, faults, refused, violations,
					controls.stream().filter(Result::isExpected).count() + ((this.model != null) ? 1 : 0),
					controls.size() + 1, this.settings.seed());
	}

}
