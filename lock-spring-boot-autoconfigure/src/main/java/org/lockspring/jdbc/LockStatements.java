package org.lockspring.jdbc;

/**
 * The statements on the table of locks, for one kind of database. A row that is released
 * stays, with its token; it is over when its {@code expires_at} has come. Only
 * {@code acquire} makes rows or takes them over.
 *
 * @param dialect the kind of database
 * @param acquire takes the lock, or tells whose it is
 * @param renew sets the end of our own entry
 * @param release ends our own entry
 * @param abandon ends the entry of an owner whose token nobody learned of
 * @param look reads an entry
 * @param findOld finds rows that nobody needs
 * @param deleteOld deletes such a row, unless it is needed again
 */
record LockStatements(LockDialect dialect, LockStatement acquire, LockStatement renew, LockStatement release,
		LockStatement abandon, LockStatement look, LockStatement findOld, LockStatement deleteOld) {

	private static final String OURS = " WHERE name = :name AND owner = :owner AND token = :token AND expires_at > {now}";

	// A token is a time too, that of the acquisition
	private static final String OLD = "expires_at < {now} - :retention AND token < {now} - :retention";

	static LockStatements of(LockDialect dialect) {
		return new LockStatements(dialect, dialect.acquire(),
				dialect.statement("UPDATE lock_entry SET expires_at = {now} + :ttl" + OURS),
				dialect.statement("UPDATE lock_entry SET expires_at = 0" + OURS),
				dialect.statement("UPDATE lock_entry SET expires_at = 0 "
						+ "WHERE name = :name AND owner = :owner AND expires_at > {now}"),
				dialect.statement("SELECT owner, token, expires_at - {now} FROM lock_entry WHERE name = :name"),
				dialect.statement("SELECT name FROM lock_entry WHERE " + OLD),
				dialect.statement("DELETE FROM lock_entry WHERE name = :name AND " + OLD));
	}

}
