package org.lockspring.faults.checker;

import java.util.List;
import java.util.Locale;

import org.lockspring.faults.history.History;

/**
 * What a lock, together with its resource, can promise.
 */
@SuppressWarnings("ImmutableEnumChecker")
public enum Promise {

	/** No two acquisitions of a key have the same token. */
	TOKENS_UNIQUE(Tokens::unique),

	/** Who asked for a key after another had got it has the larger token. */
	TOKENS_RISE(Tokens::rise),

	/** A resource never accepts a write with a smaller token than one before. */
	ACCEPTED_RISE(Writes::acceptedRise),

	/** Every accepted write was computed from the value before it. */
	NO_LOST_UPDATE(Writes::noneLost),

	/** Money moves between accounts, and none is made. */
	SUM_KEPT(Writes::sumKept),

	/** What succeeded is written, and what failed is not. */
	OUTCOMES_TRUE(Writes::outcomesTrue),

	/** No two leases of a key are valid at the same time, as their holders see it. */
	ONE_VALID_HOLDER(Holders::oneValid),

	/** A job with a shortest hold does not run again within it. */
	MIN_HOLD(Holders::minHold),

	/** Once the faults are over, every workload soon gets its locks again. */
	LIVENESS(Recovery::live),

	/** No entry of a lock is left when nobody holds one. */
	NOTHING_LEFT(Recovery::nothingLeft);

	private final Checker checker;

	Promise(Checker checker) {
		this.checker = checker;
	}

	/**
	 * Return the name that tables have.
	 * @return words in lower case
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

	/**
	 * Look for violations.
	 * @param history all that is known of a run
	 * @return one sentence for each
	 */
	public List<String> violations(History history) {
		return this.checker.check(history);
	}

}
