package org.lockspring.core;

import org.lockspring.LockLease;

/**
 * A lease as those see it who take part in its life. Every lease that a
 * {@link LockTemplate} hands to a body is one, unless the body runs without its lock.
 *
 * @since 0.1.0
 */
public interface ManagedLease extends LockLease {

	/**
	 * Tell that ownership has ended: the lease turns invalid at once.
	 * @param cause what told
	 */
	void lose(RuntimeException cause);

	/**
	 * Tell that a guard has accepted everything written so far: losing the lease later
	 * does not make the result wrong.
	 */
	void vouch();

	/**
	 * Tell that something was written which no guard has seen: a vouch from before does
	 * not cover it.
	 */
	void retractVouch();

}
