package org.lockspring.faults.checker;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecoveryTests {

	@Test
	void everyWorkloadHasALockAgain() {
		Histories history = new Histories().held("a", "counter", 0, 1, 10, 1L)
			.held("b", "counter", 900, 1499, 1500, 2L)
			.held("c", "tickets", 1100, 1101, 1102, 2L);
		assertThat(Promise.LIVENESS.violations(history.build())).isEmpty();
	}

	@Test
	void workloadThatWaitsTooLongIsFound() {
		Histories history = new Histories().held("a", "counter", 0, 1, 10, 1L)
			.held("b", "counter", 900, 1501, 1600, 2L)
			.held("c", "tickets", 1100, 1101, 1102, 2L);
		assertThat(Promise.LIVENESS.violations(history.build()))
			.containsExactly("No lock for 'counter' within 500 ms after the faults");
	}

	@Test
	void entryThatIsLeftIsFound() {
		assertThat(Promise.NOTHING_LEFT.violations(new Histories().build())).isEmpty();
		assertThat(Promise.NOTHING_LEFT.violations(new Histories().left("x").build()))
			.containsExactly("Left in the store: x");
	}

}
