package org.lockspring;

/**
 * An optional ability of a {@link LockBackend}: tell at start whether it can do what will
 * be asked of it. Annotated methods are known then; the requests of other code are not,
 * so a backend says the same at their first use. Part of the SPI.
 *
 * @since 0.1.0
 */
public interface RequestCheck {

	/**
	 * Look at a request that will be made. Does not wait for the store. Logs a WARN if
	 * the store does something else than what is asked.
	 * @param request with ttl and wait time; its key may be an expression
	 * @throws InvalidLockDefinitionException if the store can never serve it
	 */
	void check(LockRequest request);

}
