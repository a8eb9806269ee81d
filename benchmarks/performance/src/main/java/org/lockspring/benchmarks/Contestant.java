package org.lockspring.benchmarks;

/**
 * A library as one process uses it, with connections of its own.
 */
interface Contestant extends AutoCloseable {

	/**
	 * Take a lock, run a body, give the lock back.
	 * @throws IllegalStateException if the lock was not obtained, or not ours at the end
	 */
	void locked(String key, Runnable body);

	/**
	 * Return where Redis has the lock while it is held.
	 */
	String entry(String key);

	@Override
	void close();

	static void require(boolean done, String what) {
		if (!done) {
			throw new IllegalStateException(what);
		}
	}

}
