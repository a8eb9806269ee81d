package org.lockspring.redis;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.redis.RedlockModel.Flaw;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Explores the protocol of tokens over several nodes completely, for few nodes and few
 * attempts. Says nothing about more of them, or about what the model leaves out: time.
 */
class RedlockModelTests {

	@Test
	void threeNodesTwoAttempts() {
		assertHolds(RedlockModel.of(3, 2));
	}

	@Test
	void threeNodesTwoAttemptsOneNodeForgets() {
		assertHolds(RedlockModel.of(3, 2).withForgetting(1));
	}

	@Test
	void fourNodesQuorumOfThreeSurviveOneThatForgetsWithoutQuarantine() {
		assertHolds(RedlockModel.of(4, 2, Flaw.NO_QUARANTINE, Flaw.NO_FLOOR).withForgetting(1));
	}

	@ParameterizedTest
	@EnumSource(names = { "NO_SECOND_ROUND", "NO_OWNERSHIP_CHECK", "UNANSWERED_NODE_COUNTED" })
	void findsWhatIsLeftOut(Flaw flaw) {
		assertViolated(RedlockModel.of(3, 2, flaw));
	}

	@Test
	void findsThatOnlyTheOwnerIsComparedWhenRequestsAreExecutedTwice() {
		assertViolated(RedlockModel.of(3, 2, Flaw.OWNER_ONLY).withExecutions(2));
	}

	@Test
	void findsThatANodeForgets() {
		assertViolated(RedlockModel.of(3, 2, Flaw.NO_QUARANTINE, Flaw.NO_FLOOR).withForgetting(1));
	}

	@ParameterizedTest
	@EnumSource(names = { "NO_QUARANTINE", "NO_FLOOR" })
	void findsThatANodeForgetsWith(Flaw flaw) {
		assertViolated(RedlockModel.of(3, 2, flaw).withForgetting(1));
	}

	@Test
	@EnabledIfSystemProperty(named = "redlock.model", matches = "large")
	void threeNodesThreeAttempts() {
		assertHolds(RedlockModel.of(3, 3));
	}

	@Test
	@EnabledIfSystemProperty(named = "redlock.model", matches = "large")
	void threeNodesTwoAttemptsRequestsExecutedTwice() {
		assertHolds(RedlockModel.of(3, 2).withExecutions(2));
	}

	@Test
	@EnabledIfSystemProperty(named = "redlock.model", matches = "large")
	void fiveNodesTwoAttempts() {
		assertHolds(RedlockModel.of(5, 2));
	}

	@Test
	@EnabledIfSystemProperty(named = "redlock.model", matches = "large")
	void fiveNodesQuorumOfFourSurviveOneThatForgetsWithoutQuarantine() {
		assertHolds(RedlockModel.of(5, 2, Flaw.NO_QUARANTINE, Flaw.NO_FLOOR).withQuorum(4).withForgetting(1));
	}

	private static void assertHolds(RedlockModel model) {
		RedlockChecker checker = new RedlockChecker(model);
		long begin = System.nanoTime();
		String violation = checker.search();
		System.out.println(
				"%s: %d states, %d ms".formatted(model, checker.states(), (System.nanoTime() - begin) / 1_000_000));
		assertThat(violation).isNull();
		assertThat(checker.states()).isGreaterThan(1000);
	}

	private static void assertViolated(RedlockModel model) {
		RedlockChecker checker = new RedlockChecker(model);
		String violation = checker.search();
		System.out.println("%s: %d states: %s".formatted(model, checker.states(), violation));
		assertThat(violation).isNotNull();
	}

}
