package org.lockspring.faults.checker;

import java.util.List;

import org.lockspring.faults.history.History;

/**
 * Looks for violations of one promise.
 */
@FunctionalInterface
interface Checker {

	/**
	 * Check.
	 * @param history all that is known of a run
	 * @return one sentence for each violation
	 */
	List<String> check(History history);

}
