package org.lockspring.autoconfigure;

import org.lockspring.LockUnavailableException;

/**
 * Locks of CORRECTNESS are used, and the table that remembers their tokens is missing.
 */
class FenceTableMissingException extends RuntimeException {

	private final String createStatement;

	FenceTableMissingException(LockUnavailableException cause, String createStatement) {
		super(cause.getMessage(), cause);
		this.createStatement = createStatement;
	}

	String getCreateStatement() {
		return this.createStatement;
	}

}
