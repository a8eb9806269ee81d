package org.lockspring.faults.workload;

import java.util.List;
import java.util.Random;

/**
 * Something that is done under locks, again and again.
 */
public interface Workload {

	/**
	 * Return the name under which histories have it.
	 * @return one word
	 */
	String name();

	/**
	 * Return how many threads of a worker do it.
	 * @return at least one
	 */
	default int threads() {
		return 1;
	}

	/**
	 * Choose what to lock next.
	 * @param thread the number of the thread
	 * @param random the thread's
	 * @return names, which are the same in all workers
	 */
	List<String> locks(int thread, Random random);

	/**
	 * Do it, under the locks.
	 * @param keys the names, in the same order, with the name of the run before them
	 * @param holding the locks
	 * @param step how
	 * @throws Exception for whatever reason
	 */
	void run(List<String> keys, Holding holding, Step step) throws Exception;

	/**
	 * Return whether an exception of a lock means that nothing was written, because all
	 * writes are in a transaction.
	 * @return whether a lock's exception rolls back
	 */
	default boolean isTransactional() {
		return false;
	}

	/**
	 * Return whether a busy lock is passed by, and kept for a while.
	 * @return whether to {@linkplain Locking#runOnce run once}
	 */
	default boolean isOnce() {
		return false;
	}

}
