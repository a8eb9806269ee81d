package org.lockspring.faults.workload;

/**
 * A lock that is not ours was busy for as long as there was time.
 */
public class BusyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

}
