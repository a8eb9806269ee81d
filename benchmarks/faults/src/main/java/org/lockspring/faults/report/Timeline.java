package org.lockspring.faults.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.lockspring.faults.history.Accepted;
import org.lockspring.faults.history.History;
import org.lockspring.faults.history.History.Holding;
import org.lockspring.faults.history.Injected;
import org.lockspring.faults.history.Operation;

/**
 * A picture of one key in one run: a lane for each worker with what it held, the tokens
 * below, the faults behind them.
 */
public final class Timeline {

	private static final int WIDTH = 1200;

	private static final int LEFT = 60;

	/** How wide what is written above a fault may be. */
	private static final int LABEL = 160;

	private static final int LANE = 34;

	private static final int TOKENS = 120;

	private static final int TOP = 72;

	private final History history;

	private final String key;

	private final List<Holding> holdings;

	private final long begin;

	private final long end;

	private final StringBuilder svg = new StringBuilder();

	/**
	 * Create a picture.
	 * @param history all that happened
	 * @param key of which key
	 */
	public Timeline(History history, String key) {
		this.history = history;
		this.key = key;
		this.holdings = history.holdings().getOrDefault(key, List.of());
		this.begin = history.operations().stream().mapToLong(Operation::start).min().orElse(0);
		this.end = LongStream
			.concat(this.holdings.stream().mapToLong(Holding::left), refused().mapToLong(Timeline::refusedAt))
			.max()
			.orElse(this.begin + 1);
	}

	/**
	 * Draw it.
	 * @return SVG
	 */
	public String draw() {
		List<String> workers = this.history.operations().stream().map(Operation::worker).distinct().sorted().toList();
		int height = TOP + workers.size() * LANE + TOKENS + 50;
		this.svg
			.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
				.formatted(WIDTH, height))
			.append("font-size=\"11\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
		text(LEFT, 14, "#333", this.key + ": green held, orange held and no longer valid, red cross refused write");
		faults(height - 40);
		for (int lane = 0; lane < workers.size(); lane++) {
			lane(workers.get(lane), TOP + lane * LANE);
		}
		tokens(TOP + workers.size() * LANE + 10);
		axis(height - 24);
		return this.svg.append("</svg>\n").toString();
	}

	private void faults(int bottom) {
		int number = 0;
		for (Injected fault : this.history.faults()) {
			double x = x(fault.begun());
			rectangle(x, TOP - 22, Math.max(2, x(fault.ended()) - x), bottom - TOP + 22, "#c33", 0.15);
			// Neighbours do not write over each other
			text(Math.min(x, WIDTH - LABEL), TOP - 26 - (number++ % 2) * 11, "#a22",
					fault.text().substring(fault.text().indexOf(": ") + 2));
		}
	}

	private void lane(String worker, int y) {
		text(8, y + 18, "#333", worker);
		for (Holding holding : this.holdings) {
			if (holding.operation().worker().equals(worker)) {
				double x = x(holding.granted());
				rectangle(x, y + 4, Math.max(0.7, x(holding.left()) - x), LANE - 12,
						holding.held().valid() ? "#2a8f4f" : "#e08a1e", 1);
			}
		}
		refused().filter((operation) -> operation.worker().equals(worker))
			.forEach((operation) -> cross(x(refusedAt(operation)), y + LANE / 2.0 - 2));
	}

	/**
	 * With a body, or before there was one: a claim is the first thing that a holder
	 * does.
	 */
	private Stream<Operation> refused() {
		return this.history.operations()
			.stream()
			.filter((operation) -> operation.isRefused() && operation.keys().contains(this.key));
	}

	private static long refusedAt(Operation operation) {
		Long left = operation.left();
		Long end = operation.end();
		return (left != null) ? left : (end != null) ? end : operation.start();
	}

	private void tokens(int y) {
		List<Holding> withToken = new ArrayList<>(
				this.holdings.stream().filter((holding) -> holding.held().token() != null).toList());
		if (withToken.isEmpty()) {
			return;
		}
		text(8, y + 12, "#333", "tokens");
		// By rank: their distances differ by orders of magnitude
		Map<Long, Integer> ranks = new HashMap<>();
		withToken.stream().map(Timeline::token).distinct().sorted().forEach((token) -> ranks.put(token, ranks.size()));
		double step = (TOKENS - 20.0) / Math.max(1, ranks.size() - 1);
		for (Holding holding : withToken) {
			double tokenY = y + TOKENS - 10 - Objects.requireNonNull(ranks.get(token(holding))) * step;
			circle(x(holding.granted()), tokenY, accepted(holding) ? "#1f5fa8" : "#9db8d6");
		}
	}

	private boolean accepted(Holding holding) {
		return this.history.resources()
			.stream()
			.filter((resource) -> resource.key().equals(this.key))
			.flatMap((resource) -> resource.accepted().stream())
			.map(Accepted::operation)
			.anyMatch(holding.operation().id()::equals);
	}

	private static long token(Holding holding) {
		return Objects.requireNonNull(holding.held().token());
	}

	private void axis(int y) {
		long seconds = (this.end - this.begin) / 1_000_000_000;
		for (long second = 0; second <= seconds; second++) {
			text(x(this.begin + second * 1_000_000_000), y, "#777", second + " s");
		}
	}

	private double x(long nanos) {
		return LEFT + (nanos - this.begin) * (WIDTH - LEFT - 20.0) / Math.max(1, this.end - this.begin);
	}

	private void rectangle(double x, double y, double width, double height, String fill, double opacity) {
		element(String.format(Locale.ROOT,
				"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" fill-opacity=\"%.2f\"/>", x, y,
				width, height, fill, opacity));
	}

	private void circle(double x, double y, String fill) {
		element(String.format(Locale.ROOT, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.8\" fill=\"%s\"/>", x, y, fill));
	}

	private void cross(double x, double y) {
		element(String.format(Locale.ROOT, "<path d=\"M%.1f %.1fl8 8m0 -8l-8 8\" stroke=\"#d00\" stroke-width=\"2\"/>",
				x - 4, y - 4));
	}

	private void text(double x, double y, String fill, String text) {
		element(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>", x, y, fill, text));
	}

	private void element(String element) {
		this.svg.append(element).append('\n');
	}

}
