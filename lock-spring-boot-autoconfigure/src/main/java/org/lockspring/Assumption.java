package org.lockspring;

/**
 * Something that a promise rests on.
 *
 * @param statement what must hold, one sentence
 * @param finding whether it does, as far as the library can see
 * @param detail what was seen, or why nothing could be; empty if there is nothing to add
 * @since 0.1.0
 */
public record Assumption(String statement, Finding finding, String detail) {

	/**
	 * Return an assumption that cannot be checked from here.
	 * @param statement what must hold
	 * @return an unchecked assumption
	 */
	public static Assumption unchecked(String statement) {
		return new Assumption(statement, Finding.UNCHECKED, "");
	}

	/**
	 * What the library saw of an assumption.
	 */
	public enum Finding {

		/**
		 * It was checked and holds.
		 */
		HOLDS,

		/**
		 * It was checked and does not hold.
		 */
		VIOLATED,

		/**
		 * It could not be checked.
		 */
		UNCHECKED

	}

}
