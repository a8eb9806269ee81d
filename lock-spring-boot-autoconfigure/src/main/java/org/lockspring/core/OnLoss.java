package org.lockspring.core;

/**
 * What happens to a body when its lock is lost.
 *
 * @since 0.1.0
 */
public enum OnLoss {

	/**
	 * Nothing: {@link org.lockspring.LockLease#isValid()} turns false.
	 */
	FLAG,

	/**
	 * Its thread is interrupted as well.
	 */
	INTERRUPT

}
