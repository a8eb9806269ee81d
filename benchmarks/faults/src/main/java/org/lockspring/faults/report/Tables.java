package org.lockspring.faults.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.lockspring.faults.checker.Promise;
import org.lockspring.faults.history.Outcome;
import org.lockspring.faults.matrix.Backend;
import org.lockspring.faults.matrix.Kind;
import org.lockspring.faults.matrix.Result;
import org.lockspring.faults.nemesis.Nemesis;

/**
 * The results as tables in Markdown.
 */
public final class Tables {

	private final List<Result> results;

	private final @Nullable String model;

	/**
	 * Create tables.
	 * @param results of all runs
	 * @param model how Redlock breaks without its second round
	 */
	public Tables(List<Result> results, @Nullable String model) {
		this.results = List.copyOf(results);
		this.model = model;
	}

	@Override
	public String toString() {
		return Stream.of(correctness(), exceptions(), totals(), counted(), controls())
			.collect(Collectors.joining("\n"));
	}

	private String correctness() {
		List<String> header = new ArrayList<>(List.of("`CORRECTNESS`"));
		Stream.of(Backend.values()).forEach((backend) -> header.add(backend.label()));
		List<List<String>> rows = new ArrayList<>();
		for (Nemesis nemesis : Nemesis.values()) {
			List<String> row = new ArrayList<>(List.of(nemesis.label()));
			for (Backend backend : Backend.values()) {
				row.add(of(Kind.CORRECTNESS)
					.filter((result) -> result.cell().backend() == backend && result.cell().nemesis() == nemesis)
					.findFirst()
					.map(Tables::correctness)
					.orElse(""));
			}
			if (row.stream().skip(1).anyMatch((cell) -> !cell.isEmpty())) {
				rows.add(row);
			}
		}
		return table(header, rows);
	}

	private static String correctness(Result result) {
		String violations = result.broken().isEmpty() ? "" : " **" + names(result.broken()) + "**";
		boolean everything = result.cell().promised().size() == Promise.values().length;
		return result.faults() + " / " + result.refused() + (everything ? "" : " *") + violations;
	}

	private String exceptions() {
		List<List<String>> rows = of(Kind.CORRECTNESS).filter((result) -> !result.cell().reason().isEmpty())
			.map((result) -> List.of(result.cell().name(),
					names(EnumSet.complementOf(EnumSet.copyOf(result.cell().promised()))), result.cell().reason(),
					names(result.violations().keySet())))
			.toList();
		return table(List.of("*", "not promised", "because", "did not hold this time"), rows);
	}

	private String totals() {
		List<List<String>> rows = new ArrayList<>();
		for (Backend backend : Backend.values()) {
			List<Result> all = of(Kind.CORRECTNESS).filter((result) -> result.cell().backend() == backend).toList();
			rows.add(List.of(backend.label(), sum(all, Result::operations),
					sum(all, (result) -> result.count(Outcome.OK)), sum(all, (result) -> result.count(Outcome.FAILED)),
					sum(all, (result) -> result.count(Outcome.UNKNOWN)), sum(all, Result::faults),
					sum(all, Result::refused), sum(all, Result::overlaps),
					sum(all, (result) -> result.broken().size())));
		}
		return table(
				List.of("", "operations", "ok", "failed", "unknown", "faults", "refused", "overlaps", "violations"),
				rows);
	}

	private static String sum(List<Result> results, ToIntFunction<Result> value) {
		return String.valueOf(results.stream().mapToLong(value::applyAsInt).sum());
	}

	private String counted() {
		Set<String> lockings = new LinkedHashSet<>();
		Set<Nemesis> nemeses = new LinkedHashSet<>();
		Stream.concat(of(Kind.EFFICIENCY), of(Kind.PEER)).forEach((result) -> {
			lockings.add(result.cell().assignment().locking());
			nemeses.add(result.cell().nemesis());
		});
		List<String> header = new ArrayList<>(List.of("overlaps, lost updates"));
		nemeses.forEach((nemesis) -> header.add(nemesis.label()));
		List<List<String>> rows = new ArrayList<>();
		for (String locking : lockings) {
			List<String> row = new ArrayList<>(List.of(locking));
			for (Nemesis nemesis : nemeses) {
				row.add(find(locking, nemesis).map(Tables::counted).orElse(""));
			}
			rows.add(row);
		}
		return table(header, rows);
	}

	private Optional<Result> find(String locking, Nemesis nemesis) {
		return this.results.stream()
			.filter((result) -> result.cell().kind() != Kind.CONTROL && result.cell().nemesis() == nemesis
					&& result.cell().assignment().locking().equals(locking))
			.findFirst();
	}

	private static String counted(Result result) {
		List<Promise> others = result.violations()
			.keySet()
			.stream()
			.filter((promise) -> promise != Promise.NO_LOST_UPDATE && promise != Promise.ONE_VALID_HOLDER
					&& promise != Promise.SUM_KEPT)
			.toList();
		int lost = result.violations().getOrDefault(Promise.NO_LOST_UPDATE, List.of()).size();
		return result.overlaps() + ", " + lost + (others.isEmpty() ? "" : " (" + names(others) + ")");
	}

	private String controls() {
		List<List<String>> rows = new ArrayList<>(
				of(Kind.CONTROL)
					.map((result) -> List.of(result.cell().name().substring("control/".length()),
							result.cell().reason(), result.cell().nemesis().label(),
							result.isExpected() ? "caught" : "**not caught**",
							result.violations().containsKey(wanted(result))
									? Objects.requireNonNull(result.violations().get(wanted(result))).get(0) : ""))
					.toList());
		rows.add(List.of("redlock-one-round", "the token is not raised on a quorum", "any order of messages",
				(this.model != null) ? "caught" : "**not caught**",
				"in the model: " + String.valueOf(this.model).replaceAll("(?s):.*", "")));
		return table(List.of("control", "mistake", "faults", "", "for example"), rows);
	}

	private static Promise wanted(Result control) {
		return control.cell().promised().iterator().next();
	}

	private Stream<Result> of(Kind kind) {
		return this.results.stream().filter((result) -> result.cell().kind() == kind);
	}

	private static String names(Collection<Promise> promises) {
		return promises.stream().map(Promise::label).collect(Collectors.joining(", "));
	}

	private static String table(List<String> header, List<List<String>> rows) {
		StringBuilder table = new StringBuilder(line(header));
		table.append(line(header.stream().map((name) -> "---").toList()));
		rows.forEach((row) -> table.append(line(row)));
		return table.toString();
	}

	private static String line(List<String> cells) {
		return "| " + String.join(" | ", cells) + " |\n";
	}

}
