package org.lockspring.benchmarks;

/**
 * One kind of use that is measured.
 */
interface Workload {

	/**
	 * Return the ids by which results and {@code -Dbenchmarks.only} know it.
	 */
	String id();

	void run(Session session) throws Exception;

}
