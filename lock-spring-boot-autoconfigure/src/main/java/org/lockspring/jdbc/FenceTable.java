package org.lockspring.jdbc;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.FencingToken;
import org.lockspring.fencing.StaleFencingTokenException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The statements of one claim. Each is correct at every isolation level, because the
 * decision is a conditional write to the row that serialises all claimers.
 */
final class FenceTable {

	private static final Log logger = LogFactory.getLog(JdbcFencingGuard.class);

	// A token without owner is taken for the same acquisition, on either side
	private static final String UPDATE = "UPDATE lock_fence SET token = ?, owner = ?, updated_at = CURRENT_TIMESTAMP "
			+ "WHERE resource = ? AND namespace = ? "
			+ "AND (token < ? OR (token = ? AND (owner = ? OR owner = '' OR ? = '')))";

	private final FenceDialect dialect;

	private final String namespace;

	FenceTable(FenceDialect dialect, String namespace) {
		this.dialect = dialect;
		this.namespace = namespace;
	}

	/**
	 * Claim in the transaction that the template works in.
	 * @param readCommitted whether every statement sees what was committed before it
	 */
	void claim(JdbcTemplate jdbc, String resource, FencingToken token, boolean readCommitted) {
		Object key = this.dialect.key(FenceNames.resource(resource));
		String owner = FenceNames.owner(token.owner());
		// Missing the row would lock the gap and block another new row's insert
		boolean updateFirst = readCommitted || !this.dialect.locksGaps();
		if (updateFirst && update(jdbc, key, token, owner)) {
			return;
		}
		this.dialect.insertIfAbsent(jdbc, key, token.value(), owner, this.namespace);
		if (!update(jdbc, key, token, owner)) {
			refuse(jdbc, key, resource, token, owner);
		}
	}

	private boolean update(JdbcTemplate jdbc, Object key, FencingToken token, String owner) {
		return jdbc.update(UPDATE, token.value(), owner, key, this.namespace, token.value(), token.value(), owner,
				owner) > 0;
	}

	private void refuse(JdbcTemplate jdbc, Object key, String resource, FencingToken token, String owner) {
		List<Row> rows = jdbc.query(this.dialect.select(),
				(rs, index) -> new Row(rs.getLong(1), rs.getString(2), rs.getString(3)), key);
		if (rows.isEmpty()) {
			throw new LockUnavailableException(
					"The row of '" + resource + "' in lock_fence was deleted while it was claimed", null, true);
		}
		Row row = rows.get(0);
		FencingToken newest = new FencingToken(Math.max(1, row.token), row.owner);
		if (!row.namespace.equals(this.namespace)) {
			throw new StaleFencingTokenException(resource, token, newest,
					("its tokens come from '%s', this one from '%s', and they cannot be compared. "
							+ "When no process takes locks from '%s' any more, run: "
							+ "DELETE FROM lock_fence WHERE namespace = '%s'")
						.formatted(row.namespace, this.namespace, row.namespace, row.namespace));
		}
		if (row.token == token.value() && !row.owner.equals(owner)) {
			StaleFencingTokenException duplicate = new StaleFencingTokenException(resource, token, newest,
					("one number was given to two acquisitions, '%s' and '%s': the lock's store repeats its tokens, "
							+ "and does not keep its locks apart")
						.formatted(row.owner, owner));
			logger.error(duplicate.getMessage());
			throw duplicate;
		}
		if (row.token > token.value()) {
			throw new StaleFencingTokenException(resource, token, newest,
					"a later acquisition has claimed it, so this lease has ended");
		}
		if (row.token < token.value()) {
			throw new LockUnavailableException(
					"The row of '" + resource + "' in lock_fence was replaced while it was claimed", null, true);
		}
	}

	private record Row(long token, String owner, String namespace) {

	}

}
