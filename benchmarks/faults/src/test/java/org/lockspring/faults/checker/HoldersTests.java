package org.lockspring.faults.checker;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HoldersTests {

	@Test
	void oneAfterTheOtherIsNoOverlap() {
		Histories history = new Histories().held("a", "counter", 0, 1, 10, 1L).held("b", "counter", 2, 10, 20, 2L);
		assertThat(Promise.ONE_VALID_HOLDER.violations(history.build())).isEmpty();
		assertThat(Holders.duplicates(history.build())).isZero();
	}

	@Test
	void twoThatAreValidAtOnceAreFound() {
		Histories history = new Histories().held("a", "counter", 0, 1, 10, 1L).held("b", "counter", 2, 9, 20, 2L);
		assertThat(Promise.ONE_VALID_HOLDER.violations(history.build())).singleElement()
			.asString()
			.contains("held by a, and b got it");
		assertThat(Holders.duplicates(history.build())).isOne();
	}

	@Test
	void whoKnowsThatHeLostItIsOnlyADuplicate() {
		Histories history = new Histories().held("a", "counter", 0, 1, 10, 1L, false)
			.held("b", "counter", 2, 9, 20, 2L);
		assertThat(Promise.ONE_VALID_HOLDER.violations(history.build())).isEmpty();
		assertThat(Holders.duplicates(history.build())).isOne();
	}

	@Test
	void longHolderIsComparedWithAllThatComeAfter() {
		Histories history = new Histories().held("a", "counter", 0, 1, 100, 1L)
			.held("b", "counter", 2, 110, 120, 2L)
			.held("c", "counter", 2, 50, 60, 3L);
		assertThat(Promise.ONE_VALID_HOLDER.violations(history.build())).hasSize(1);
	}

	@Test
	void jobRunsAgainOnlyAfterItsShortestHold() {
		Histories history = new Histories().held("a", "job", 0, 1, 10, 1L).held("b", "job", 500, 593, 610, 2L);
		assertThat(Promise.MIN_HOLD.violations(history.build())).isEmpty();
	}

	@Test
	void jobThatRunsAgainTooSoonIsFound() {
		Histories history = new Histories().held("a", "job", 0, 1, 10, 1L).held("b", "job", 500, 591, 610, 2L);
		assertThat(Promise.MIN_HOLD.violations(history.build())).singleElement()
			.asString()
			.contains("b ran at most 591.0 ms after a");
	}

}
