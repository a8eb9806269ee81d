package org.lockspring.redis;

import org.jspecify.annotations.Nullable;
import org.lockspring.redis.RedlockModel.Flaw;

/**
 * Redlock without its second round, in the model that the tests explore: the interleaving
 * that breaks it is too rare for real servers. In this package because the model is.
 */
public final class RedlockWithoutSecondRound {

	private RedlockWithoutSecondRound() {
	}

	/**
	 * Search for a violation.
	 * @return the steps that lead to the shortest one; {@code null} if there is none
	 */
	public static @Nullable String search() {
		return new RedlockChecker(RedlockModel.of(3, 2, Flaw.NO_SECOND_ROUND)).search();
	}

}
