package org.lockspring.benchmarks;

import java.util.List;
import java.util.Locale;

/**
 * A chart of bars, one for each contestant, as SVG.
 *
 * @param title what it shows
 * @param bars what was measured, all in one unit
 */
record Chart(String title, List<Measurement> bars) {

	private static final int WIDTH = 760;

	private static final int LABELS = 220;

	private static final int ROW = 26;

	private static final int HEAD = 44;

	String svg() {
		int height = HEAD + this.bars.size() * ROW + 10;
		double most = this.bars.stream().mapToDouble(Measurement::median).max().orElse(1);
		StringBuilder svg = new StringBuilder();
		svg.append(
				String.format(Locale.ROOT,
						"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
								+ "font-family=\"sans-serif\" font-size=\"13\" role=\"img\">%n",
						WIDTH, height, WIDTH, height));
		svg.append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
		svg.append(String.format(Locale.ROOT,
				"<text x=\"12\" y=\"26\" font-size=\"15\" font-weight=\"bold\">%s, %s</text>%n", this.title,
				this.bars.get(0).unit()));
		for (int i = 0; i < this.bars.size(); i++) {
			svg.append(bar(this.bars.get(i), HEAD + i * ROW, most));
		}
		return svg.append("</svg>\n").toString();
	}

	private static String bar(Measurement bar, int y, double most) {
		double width = Math.max(1, bar.median() / most * (WIDTH - LABELS - 90));
		return String.format(Locale.ROOT, """
				<text x="%d" y="%d" text-anchor="end">%s</text>
				<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>
				<text x="%.1f" y="%d">%s</text>
				""", LABELS - 8, y + 15, bar.contestant(), LABELS, y, width, ROW - 6, colour(bar.contestant()),
				LABELS + width + 6, y + 15, Numbers.text(bar.median()));
	}

	private static String colour(String contestant) {
		if (contestant.startsWith("raw")) {
			return "#9e9e9e";
		}
		return (contestant.startsWith("EFFICIENCY") || contestant.startsWith("CORRECTNESS")) ? "#2e7d32" : "#5c7cfa";
	}

}
