package org.lockspring.faults.checker;

import org.junit.jupiter.api.Test;
import org.lockspring.faults.history.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

class WritesTests {

	@Test
	void chainOfWritesIsComplete() {
		Histories history = new Histories().accepted("a", 1L, 0, 1).accepted("b", 2L, 1, 2);
		assertThat(Promise.NO_LOST_UPDATE.violations(history.build())).isEmpty();
		assertThat(Promise.ACCEPTED_RISE.violations(history.build())).isEmpty();
	}

	@Test
	void writeFromAnOldReadIsFound() {
		Histories history = new Histories().accepted("a", 1L, 0, 1).accepted("b", 2L, 0, 1);
		assertThat(Promise.NO_LOST_UPDATE.violations(history.build())).singleElement()
			.asString()
			.contains("b wrote 1")
			.contains("having read 0 where 1 was");
	}

	@Test
	void writeThatNobodyRemembersIsFound() {
		Histories history = new Histories().accepted("a", 1L, 0, 1).current(5);
		assertThat(Promise.NO_LOST_UPDATE.violations(history.build())).singleElement().asString().contains("is 5");
	}

	@Test
	void acceptedTokenThatFallsIsFound() {
		Histories history = new Histories().accepted("a", 2L, 0, 1).accepted("b", 1L, 1, 2);
		assertThat(Promise.ACCEPTED_RISE.violations(history.build())).singleElement()
			.asString()
			.contains("accepted token 1 of b after 2 of a");
	}

	@Test
	void equalTokenIsAcceptedFromTheSameOperationOnly() {
		Histories history = new Histories().accepted("a", 2L, 0, 1).accepted("a", 2L, 1, 2);
		assertThat(Promise.ACCEPTED_RISE.violations(history.build())).isEmpty();
		assertThat(Promise.ACCEPTED_RISE.violations(history.accepted("b", 2L, 2, 3).build())).hasSize(1);
	}

	@Test
	void sumOfTheAccountsCounts() {
		Histories history = new Histories().account("r/account-0", 10, 7).account("r/account-1", 10, 13);
		assertThat(Promise.SUM_KEPT.violations(history.build())).isEmpty();
		assertThat(Promise.SUM_KEPT.violations(history.account("r/account-2", 10, 11).build()))
			.containsExactly("30 on all accounts became 31");
	}

	@Test
	void outcomesAgreeWithTheResource() {
		Histories history = new Histories().ended("a", Outcome.OK)
			.ended("b", Outcome.FAILED)
			.ended("c", Outcome.UNKNOWN)
			.ended("d", Outcome.UNKNOWN)
			.accepted("a", 1L, 0, 1)
			.accepted("c", 2L, 1, 2);
		assertThat(Promise.OUTCOMES_TRUE.violations(history.build())).isEmpty();
	}

	@Test
	void successWithoutAWriteIsFound() {
		assertThat(Promise.OUTCOMES_TRUE.violations(new Histories().ended("a", Outcome.OK).build())).singleElement()
			.asString()
			.contains("a succeeded");
	}

	@Test
	void failureThatWroteIsFound() {
		Histories history = new Histories().ended("a", Outcome.FAILED).accepted("a", 1L, 0, 1);
		assertThat(Promise.OUTCOMES_TRUE.violations(history.build())).singleElement()
			.asString()
			.contains("and yet it wrote");
	}

	@Test
	void writeThatWasCarriedOutTwiceIsFound() {
		Histories history = new Histories().ended("a", Outcome.OK).accepted("a", 1L, 0, 1).accepted("a", 1L, 1, 2);
		assertThat(Promise.OUTCOMES_TRUE.violations(history.build())).singleElement().asString().contains("twice");
	}

}
