package org.lockspring.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringUtils;

/**
 * What the command line says.
 *
 * @param duration how long all of it may take
 * @param seed what the schedules are computed from
 * @param only runs whose names begin with one of these, separated by commas; empty for
 * all
 * @param directory where everything is written
 */
record Settings(Duration duration, long seed, String only, Path directory) {

	/** Read the system properties {@code faults.*}. */
	static Settings read() {
		String seed = System.getProperty("faults.seed", "");
		return new Settings(DurationStyle.detectAndParse(System.getProperty("faults.duration", "10m")),
				StringUtils.hasText(seed) ? Long.parseLong(seed) : System.nanoTime() % 1_000_000,
				System.getProperty("faults.only", ""),
				Path.of(System.getProperty("faults.directory", "target/faults")));
	}

	boolean wants(String cell) {
		return this.only.isBlank()
				|| Arrays.stream(this.only.split(",")).anyMatch((start) -> cell.startsWith(start.trim()));
	}

	String command() {
		return "mvn -Pfaults verify -Dfaults.duration=" + DurationStyle.SIMPLE.print(this.duration, ChronoUnit.SECONDS)
				+ " -Dfaults.seed=" + this.seed + (this.only.isBlank() ? "" : " -Dfaults.only=" + this.only);
	}

}
