package org.lockspring.faults.workload;

/**
 * A resource, other than the database that the library guards, has refused a token.
 */
public class RefusedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message which token of what
	 */
	public RefusedException(String message) {
		super(message);
	}

}
