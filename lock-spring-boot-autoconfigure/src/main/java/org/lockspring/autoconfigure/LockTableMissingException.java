package org.lockspring.autoconfigure;

import org.lockspring.LockUnavailableException;

/**
 * Methods take locks in the database, and the table for them cannot be used.
 */
class LockTableMissingException extends RuntimeException {

	LockTableMissingException(LockUnavailableException cause) {
		super(cause.getMessage(), cause);
	}

}
