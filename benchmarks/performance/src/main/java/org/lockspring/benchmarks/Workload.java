package org.lockspring.benchmarks;

/**
 * One kind of use that is measured.
 */
interface Workload {

	/**
	 * Return the id by which results and {@code -Dbenchmarks.only} know it.
	 */
	String id();

	/**
	 * Return what is measured, as a heading.
	 */
	String title();

	/**
	 * Return the metric that is worth a chart; empty if there is none.
	 */
	default String charted() {
		return "";
	}

	void run(Session session) throws Exception;

}
