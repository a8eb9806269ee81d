package org.lockspring.core;

/**
 * What happens to a body in EFFICIENCY when the store does not answer. In CORRECTNESS it
 * never runs.
 *
 * @since 0.1.0
 */
public enum OnUnavailable {

	/**
	 * The caller gets {@link org.lockspring.LockUnavailableException}.
	 */
	FAIL,

	/**
	 * The body runs without a lock: better twice than not at all.
	 */
	RUN

}
