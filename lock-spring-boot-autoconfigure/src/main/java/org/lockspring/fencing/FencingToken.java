package org.lockspring.fencing;

/**
 * A number that rises with every acquisition of one lock, and the acquisition it was
 * given to.
 * <p>
 * A token proves an order, not possession: whoever holds the larger one acquired later. A
 * lock protects data only if the resource compares tokens and refuses older ones (see
 * {@link FencingGuard}). Follows the fencing tokens in M. Kleppmann, <a href=
 * "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">How to do
 * distributed locking</a> (2016).
 *
 * @param value the number, at least 1; tokens of different backends must not be compared
 * @param owner the acquisition that was given the number; empty if it is not known, and
 * then two tokens of the same value are taken for the same acquisition
 * @since 0.1.0
 */
public record FencingToken(long value, String owner) implements Comparable<FencingToken> {

	/**
	 * Create a token.
	 * @throws IllegalArgumentException if the value is below 1
	 */
	public FencingToken {
		if (value < 1) {
			throw new IllegalArgumentException("A fencing token is at least 1, not " + value);
		}
	}

	/**
	 * Create a token whose acquisition is not known.
	 * @param value the number, at least 1
	 */
	public FencingToken(long value) {
		this(value, "");
	}

	/**
	 * Return whether this token was given to a later acquisition.
	 * @param other the token to compare with
	 * @return {@code true} if this value is larger
	 */
	public boolean isNewerThan(FencingToken other) {
		return this.value > other.value;
	}

	/**
	 * Order by value, then by owner, so that the order agrees with {@code equals}.
	 */
	@Override
	public int compareTo(FencingToken other) {
		int byValue = Long.compare(this.value, other.value);
		return (byValue != 0) ? byValue : this.owner.compareTo(other.owner);
	}

	/**
	 * Return the number as decimal digits, as sent to other systems.
	 */
	@Override
	public String toString() {
		return Long.toString(this.value);
	}

}
