package org.lockspring.faults.checker;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TokensTests {

	@Test
	void differentTokensAreUnique() {
		Histories history = new Histories().held("a", "tickets", 0, 1, 2, 7L).held("b", "tickets", 3, 4, 5, 8L);
		assertThat(Promise.TOKENS_UNIQUE.violations(history.build())).isEmpty();
	}

	@Test
	void sameTokenTwiceIsFound() {
		Histories history = new Histories().held("a", "tickets", 0, 1, 2, 7L).held("b", "tickets", 3, 4, 5, 7L);
		assertThat(Promise.TOKENS_UNIQUE.violations(history.build())).singleElement()
			.asString()
			.contains("Token 7")
			.contains("a and to b");
	}

	@Test
	void locksWithoutTokensAreLeftAlone() {
		Histories history = new Histories().held("a", "tickets", 0, 1, 2, null).held("b", "tickets", 3, 4, 5, null);
		assertThat(Promise.TOKENS_UNIQUE.violations(history.build())).isEmpty();
		assertThat(Promise.TOKENS_RISE.violations(history.build())).isEmpty();
	}

	@Test
	void whoAskedBeforeTheOtherHadItMayHaveTheSmallerToken() {
		Histories history = new Histories().held("a", "tickets", 0, 10, 11, 8L).held("b", "tickets", 9, 20, 21, 7L);
		assertThat(Promise.TOKENS_RISE.violations(history.build())).isEmpty();
	}

	@Test
	void smallerTokenOfWhoAskedLaterIsFound() {
		Histories history = new Histories().held("a", "tickets", 0, 10, 11, 8L).held("b", "tickets", 11, 20, 21, 7L);
		assertThat(Promise.TOKENS_RISE.violations(history.build())).singleElement()
			.asString()
			.contains("Token 7")
			.contains("smaller than 8");
	}

	@Test
	void largestTokenBeforeCountsNotTheLatest() {
		Histories history = new Histories().held("a", "tickets", 0, 10, 11, 9L)
			.held("b", "tickets", 5, 12, 13, 7L)
			.held("c", "tickets", 20, 21, 22, 8L);
		assertThat(Promise.TOKENS_RISE.violations(history.build())).singleElement().asString().contains("for c");
	}

}
