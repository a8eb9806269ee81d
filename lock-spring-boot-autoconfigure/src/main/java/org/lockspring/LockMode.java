package org.lockspring;

/**
 * What is at stake when two callers run at once.
 *
 * @since 0.1.0
 */
public enum LockMode {

	/**
	 * A duplicate run is only waste. One store entry with a time to live, no fencing
	 * token. Two callers <em>can</em> run at once: when a holder stalls for longer than
	 * its ttl, and when the store forgets.
	 */
	EFFICIENCY,

	/**
	 * A duplicate run does harm. Every acquisition carries a fencing token, and a
	 * resource with a guard refuses the writes of a holder whose lease has passed on. Two
	 * callers can still <em>compute</em> at once; only one of them can commit at a
	 * guarded resource.
	 */
	CORRECTNESS

}
