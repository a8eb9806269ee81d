package org.lockspring.faults.workload;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Guards of a database that are not the library's, to see what goes wrong with each.
 */
public enum Guard {

	/** None, or the library's own. */
	NONE,

	/**
	 * As it should be: the row that remembers the token is written before anything is
	 * read.
	 */
	FIRST {

		@Override
		public void beforeRead(JdbcTemplate jdbc, String key, @Nullable Long token) {
			claim(jdbc, key, token);
		}

	},

	/** Only together with the write: what the body has read may be old by then. */
	AT_END {

		@Override
		public void beforeWrite(JdbcTemplate jdbc, String key, @Nullable Long token) {
			claim(jdbc, key, token);
		}

	},

	/** Looks, and locks nothing: between the look and the write anything can happen. */
	BY_SELECT {

		@Override
		public void beforeRead(JdbcTemplate jdbc, String key, @Nullable Long token) {
			Long newest = jdbc.queryForObject("SELECT token FROM control_fence WHERE key = ?", Long.class, key);
			if (newest != null && token != null && newest > token) {
				throw refused(key, token);
			}
		}

		@Override
		public void beforeWrite(JdbcTemplate jdbc, String key, @Nullable Long token) {
			jdbc.update("UPDATE control_fence SET token = greatest(token, ?) WHERE key = ?", token, key);
		}

	};

	/**
	 * Called first in a transaction.
	 * @param jdbc the transaction's
	 * @param key what will be read and written
	 * @param token with which token
	 */
	public void beforeRead(JdbcTemplate jdbc, String key, @Nullable Long token) {
	}

	/**
	 * Called before the write.
	 * @param jdbc the transaction's
	 * @param key what will be written
	 * @param token with which token
	 */
	public void beforeWrite(JdbcTemplate jdbc, String key, @Nullable Long token) {
	}

	private static void claim(JdbcTemplate jdbc, String key, @Nullable Long token) {
		if (jdbc.update("UPDATE control_fence SET token = ? WHERE key = ? AND token <= ?", token, key, token) == 0) {
			throw refused(key, token);
		}
	}

	private static RefusedException refused(String key, @Nullable Long token) {
		return new RefusedException("Token " + token + " of '" + key + "' is old");
	}

}
