package org.lockspring.faults.matrix;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.lockspring.faults.checker.Promise;

import static org.assertj.core.api.Assertions.assertThat;

class ResultTests {

	@Test
	void onlyWhatWasPromisedCanBeBroken() {
		assertThat(result("redis/store-empty", Promise.MIN_HOLD).isExpected()).isTrue();
		assertThat(result("redis/store-kill", Promise.MIN_HOLD).isExpected()).isFalse();
		assertThat(result("redis/store-kill", Promise.MIN_HOLD)).asString().contains("VIOLATION of min hold");
		assertThat(result("redis/store-empty", Promise.MIN_HOLD)).asString().contains("not promised: min hold");
	}

	@Test
	void controlHasToBreakItsOwnPromise() {
		assertThat(result("control/release-by-del", Promise.ONE_VALID_HOLDER).isExpected()).isTrue();
		assertThat(result("control/release-by-del", Promise.NO_LOST_UPDATE).isExpected()).isFalse();
	}

	@Test
	void efficiencyAndOthersAreOnlyReported() {
		assertThat(result("efficiency/store-empty", Promise.NO_LOST_UPDATE).isExpected()).isTrue();
		assertThat(result("shedlock/store-empty", Promise.NO_LOST_UPDATE).isExpected()).isTrue();
	}

	private static Result result(String name, Promise violated) {
		Cell cell = Matrix.cells().stream().filter((one) -> one.name().equals(name)).findFirst().orElseThrow();
		return new Result(cell, 1, Map.of(), 1, 0, 0, Map.of(violated, List.of("found")));
	}

}
