package org.lockspring.benchmarks;

import java.util.Locale;

/**
 * Numbers as people read them.
 */
final class Numbers {

	private Numbers() {
	}

	/**
	 * Three digits that matter, and no fewer than there are before the point.
	 */
	static String text(double number) {
		if (number == Math.rint(number) || Math.abs(number) >= 100) {
			return String.format(Locale.ROOT, "%,.0f", number).replace(',', ' ');
		}
		return String.format(Locale.ROOT, (Math.abs(number) >= 10) ? "%.1f" : "%.2f", number);
	}

}
