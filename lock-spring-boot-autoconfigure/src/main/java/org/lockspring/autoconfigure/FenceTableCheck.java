package org.lockspring.autoconfigure;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.lockspring.LockUnavailableException;
import org.lockspring.jdbc.JdbcFencingGuard;
import org.springframework.dao.DataAccessException;

/**
 * Looks for the table that remembers fencing tokens, for an application that needs it.
 */
class FenceTableCheck {

	private static final Log logger = LogFactory.getLog(FenceTableCheck.class);

	private final JdbcFencingGuard guard;

	FenceTableCheck(JdbcFencingGuard guard) {
		this.guard = guard;
	}

	/**
	 * Check that the table is there, if the database answers.
	 */
	void requireTable() {
		try {
			this.guard.requireTable();
		}
		catch (LockUnavailableException ex) {
			throw new FenceTableMissingException(ex, this.guard.createStatement());
		}
		catch (DataAccessException ex) {
			logger.debug("The guarded database does not answer", ex);
		}
	}

}
