package org.lockspring.faults.workload;

import java.util.List;

/**
 * A way to run a body under locks: ours, one with a mistake, or another library's.
 */
public interface Locking {

	/**
	 * Run a body under one lock or several, after waiting for them at most as long as all
	 * do here.
	 * @param keys what to lock
	 * @param body what to run
	 * @throws Exception if the locks were not to be had, or as the body throws
	 */
	void run(List<String> keys, Body body) throws Exception;

	/**
	 * Run a body under a lock that is then kept until the shortest hold is over. If the
	 * lock is busy, do nothing.
	 * @param key what to lock
	 * @param body what to run
	 * @throws Exception if the store fails, or as the body throws
	 */
	void runOnce(String key, Body body) throws Exception;

	/**
	 * What runs under locks.
	 */
	@FunctionalInterface
	interface Body {

		/**
		 * Run.
		 * @param holding the locks
		 * @throws Exception for whatever reason
		 */
		void run(Holding holding) throws Exception;

	}

}
