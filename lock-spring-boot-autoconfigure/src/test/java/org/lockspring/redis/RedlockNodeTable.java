package org.lockspring.redis;

/**
 * What a node of Redlock does with a request, by the entry it finds: explored by the
 * model checker, and compared row by row with the shipped scripts on a real server.
 */
enum RedlockNodeTable {

	/** There is no entry. */
	NONE(Answer.GRANT, Answer.LOST, Answer.LOST, Answer.NOTHING),

	/** The entry is exactly what the request names. */
	EXACT(Answer.REPEAT, Answer.RAISE, Answer.REFRESH, Answer.REMOVE),

	/** The attempt's own entry, but from another grant. */
	SAME_OWNER(Answer.REPEAT, Answer.LOST, Answer.LOST, Answer.REMOVE),

	/** Another attempt's entry. */
	OTHER(Answer.BUSY, Answer.LOST, Answer.LOST, Answer.NOTHING);

	private final Answer acquire;

	private final Answer raise;

	private final Answer renew;

	private final Answer release;

	RedlockNodeTable(Answer acquire, Answer raise, Answer renew, Answer release) {
		this.acquire = acquire;
		this.raise = raise;
		this.renew = renew;
		this.release = release;
	}

	Answer acquire() {
		return this.acquire;
	}

	Answer raise() {
		return this.raise;
	}

	Answer renew() {
		return this.renew;
	}

	Answer release() {
		return this.release;
	}

	/**
	 * Which row fits.
	 * @param owner whose entry it is, 0 if there is none
	 * @param value what it was granted
	 */
	static RedlockNodeTable find(int owner, int value, int askingOwner, int askingValue) {
		if (owner == 0) {
			return NONE;
		}
		if (owner != askingOwner) {
			return OTHER;
		}
		return (value == askingValue) ? EXACT : SAME_OWNER;
	}

	/**
	 * What is done and answered.
	 */
	enum Answer {

		/** The counter goes up by one and the entry becomes the asking attempt's. */
		GRANT,

		/** The value granted before is answered again. */
		REPEAT,

		/** Nothing is done: another has the entry. */
		BUSY,

		/** The counter becomes the token, if it is lower. */
		RAISE,

		/** The entry lives longer. */
		REFRESH,

		/** Nothing is done: it is not the attempt's entry any more. */
		LOST,

		/** The entry is removed. */
		REMOVE,

		/** There was nothing to remove. */
		NOTHING

	}

}
