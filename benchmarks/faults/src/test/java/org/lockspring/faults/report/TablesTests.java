package org.lockspring.faults.report;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;
import org.lockspring.faults.checker.Promise;
import org.lockspring.faults.history.Outcome;
import org.lockspring.faults.matrix.Cell;
import org.lockspring.faults.matrix.Matrix;
import org.lockspring.faults.matrix.Result;

import static org.assertj.core.api.Assertions.assertThat;

class TablesTests {

	@Test
	void brokenPromiseStandsOut() {
		assertThat(tables(result("redis/worker-pause"))).contains("| worker-pause | 3 / 4 |  |  |  |  |");
		assertThat(tables(result("redis/worker-pause", Promise.SUM_KEPT)))
			.contains("| worker-pause | 3 / 4 **sum kept** |");
	}

	@Test
	void whatWasNotPromisedIsMarkedAndExplained() {
		assertThat(tables(result("redis/store-empty", Promise.MIN_HOLD))).contains("| store-empty | 3 / 4 * |",
				"| redis/store-empty | one valid holder, min hold | the entry is forgotten; "
						+ "tokens go on from the server's clock | min hold |");
	}

	@Test
	void othersAreCounted() {
		assertThat(tables(result("shedlock/worker-pause", Promise.NO_LOST_UPDATE, Promise.LIVENESS)))
			.contains("| shedlock | 5, 1 (liveness) |");
	}

	@Test
	void controlThatWasNotCaughtStandsOut() {
		assertThat(tables(result("control/no-fencing", Promise.NO_LOST_UPDATE))).contains("| caught | found |");
		assertThat(tables(result("control/no-fencing"))).contains("| **not caught** |  |");
	}

	private static String tables(Result result) {
		return new Tables(List.of(result), "some steps").toString();
	}

	private static Result result(String name, Promise... violated) {
		Cell cell = Matrix.cells().stream().filter((one) -> one.name().equals(name)).findFirst().orElseThrow();
		Map<Promise, List<String>> violations = new TreeMap<>();
		Arrays.stream(violated).forEach((promise) -> violations.put(promise, List.of("found")));
		return new Result(cell, 10, Map.of(Outcome.OK, 10), 3, 4, 5, violations);
	}

}
