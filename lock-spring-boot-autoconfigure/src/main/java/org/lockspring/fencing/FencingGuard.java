package org.lockspring.fencing;

/**
 * The resource's side of fencing: remembers the newest token it has seen and refuses
 * older ones.
 * <p>
 * Checking and remembering must be one atomic step, and must be part of the write that
 * they guard (for a database: of its transaction). A holder claims <em>before</em> it
 * reads what it will write back; a guard that is asked only with the final write accepts
 * a lost update.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface FencingGuard {

	/**
	 * Accept the token if it is newer than every token seen for the resource, or is the
	 * newest one again, presented by the same acquisition; remember it.
	 * <p>
	 * May block while an older claimer's write is still open.
	 * @param resource what is guarded; for a lock, the lock's full name
	 * @param token the token of the caller's lease
	 * @throws StaleFencingTokenException if a newer token was seen, or an equal one of
	 * another acquisition
	 * @throws RuntimeException if the guard cannot tell, with nothing remembered
	 */
	void claim(String resource, FencingToken token);

	/**
	 * Return whether a claim made now by this thread becomes part of the transaction that
	 * is open on it, and so guards until that transaction ends.
	 * @return {@code false} unless the guard lives in the resource of an open transaction
	 */
	default boolean joinsCurrentTransaction() {
		return false;
	}

}
