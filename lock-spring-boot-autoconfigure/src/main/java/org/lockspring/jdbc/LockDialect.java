package org.lockspring.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import org.lockspring.LockUnavailableException;
import org.springframework.core.io.ClassPathResource;

/**
 * Where the databases differ: how to take a lock in one statement that decides, writes
 * and tells, and how to read the clock in microseconds since 1970 without a time zone.
 * <p>
 * The row of a name is taken if it is new, over, already ours, or that of the one whom we
 * succeed. A token that is taken anew is the larger of what follows the row's token and
 * the clock; so a row that was removed long ago need not be remembered.
 */
enum LockDialect {

	POSTGRESQL("CAST(EXTRACT(EPOCH FROM CLOCK_TIMESTAMP()) * 1000000 AS BIGINT)", """
			WITH granted AS (
				INSERT INTO lock_entry AS held (name, owner, token, expires_at)
				VALUES (:name, :owner, {now} + 1, {now} + :ttl)
				ON CONFLICT (name) DO UPDATE SET
					owner = excluded.owner,
					token = CASE WHEN held.owner = excluded.owner THEN held.token
						ELSE GREATEST(held.token + 1, excluded.token) END,
					expires_at = excluded.expires_at
				WHERE held.expires_at <= {now} OR held.owner IN (excluded.owner, :predecessor)
				RETURNING token
			)
			SELECT 1, token, 0 FROM granted
			UNION ALL
			SELECT 0, token, expires_at - {now} FROM lock_entry
			WHERE name = :name AND NOT EXISTS (SELECT 1 FROM granted)"""),

	H2("CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)", """
			SELECT 1, token, 0 FROM FINAL TABLE (
				MERGE INTO lock_entry AS held
				USING (VALUES (CAST(:name AS VARCHAR), CAST(:owner AS VARCHAR), CAST(:predecessor AS VARCHAR),
					{now}, {now} + CAST(:ttl AS BIGINT))) AS asked (name, owner, predecessor, clock, expires_at)
				ON held.name = asked.name
				WHEN MATCHED AND (held.expires_at <= asked.clock OR held.owner IN (asked.owner, asked.predecessor))
				THEN UPDATE SET
					owner = asked.owner,
					token = CASE WHEN held.owner = asked.owner THEN held.token
						ELSE GREATEST(held.token + 1, asked.clock + 1) END,
					expires_at = asked.expires_at
				WHEN NOT MATCHED THEN INSERT (name, owner, token, expires_at)
					VALUES (asked.name, asked.owner, asked.clock + 1, asked.expires_at)
			)"""),

	// Assignments see those to their left: the owner tells the last one who has won
	MARIADB("TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))", """
			INSERT INTO lock_entry (name, owner, token, expires_at)
			VALUES (:name, :owner, {now} + 1, {now} + :ttl)
			ON DUPLICATE KEY UPDATE
				token = IF(owner <> :owner AND (owner = :predecessor OR expires_at <= {now}),
					GREATEST(token + 1, {now} + 1), token),
				owner = IF(owner = :predecessor OR expires_at <= {now}, :owner, owner),
				expires_at = IF(owner = :owner, {now} + :ttl, expires_at)
			RETURNING owner = :owner, token, expires_at - {now}"""),

	// Has no RETURNING. The key is the token if granted, else what is left of the holder
	MYSQL(MARIADB.now, """
			INSERT INTO lock_entry (name, owner, token, expires_at)
			VALUES (:name, :owner, LAST_INSERT_ID({now} + 1), {now} + :ttl)
			ON DUPLICATE KEY UPDATE
				token = IF(owner = :owner, LAST_INSERT_ID(token),
					IF(owner = :predecessor OR expires_at <= {now}, LAST_INSERT_ID(GREATEST(token + 1, {now} + 1)),
						token + 0 * LAST_INSERT_ID(expires_at - {now}))),
				owner = IF(owner = :predecessor OR expires_at <= {now}, :owner, owner),
				expires_at = IF(owner = :owner, {now} + :ttl, expires_at)"""),

	// Untested, as is Oracle
	SQLSERVER("DATEDIFF_BIG(MICROSECOND, '1970-01-01', SYSUTCDATETIME())", """
			MERGE INTO lock_entry WITH (HOLDLOCK) AS held
			USING (SELECT CAST(:name AS NVARCHAR(256)) AS name, CAST(:owner AS VARCHAR(64)) AS owner,
				CAST(:predecessor AS VARCHAR(64)) AS predecessor, {now} AS clock, CAST(:ttl AS BIGINT) AS ttl) AS asked
			ON held.name = asked.name
			WHEN MATCHED AND (held.expires_at <= asked.clock OR held.owner IN (asked.owner, asked.predecessor))
			THEN UPDATE SET
				owner = asked.owner,
				token = CASE WHEN held.owner = asked.owner THEN held.token
					WHEN held.token > asked.clock THEN held.token + 1 ELSE asked.clock + 1 END,
				expires_at = asked.clock + asked.ttl
			WHEN NOT MATCHED THEN INSERT (name, owner, token, expires_at)
				VALUES (asked.name, asked.owner, asked.clock + 1, asked.clock + asked.ttl)
			OUTPUT 1, inserted.token, CAST(0 AS BIGINT);"""),

	// Tells no more than how many rows it wrote
	ORACLE("""
			(EXTRACT(DAY FROM (SYS_EXTRACT_UTC(SYSTIMESTAMP) - TIMESTAMP '1970-01-01 00:00:00')) * 86400000000
			+ EXTRACT(HOUR FROM SYS_EXTRACT_UTC(SYSTIMESTAMP)) * 3600000000
			+ EXTRACT(MINUTE FROM SYS_EXTRACT_UTC(SYSTIMESTAMP)) * 60000000
			+ TRUNC(EXTRACT(SECOND FROM SYS_EXTRACT_UTC(SYSTIMESTAMP)) * 1000000))""", """
			MERGE INTO lock_entry held
			USING (SELECT :name AS name, :owner AS owner, :predecessor AS predecessor, {now} AS clock, :ttl AS ttl
				FROM dual) asked
			ON (held.name = asked.name)
			WHEN MATCHED THEN UPDATE SET
				held.owner = asked.owner,
				held.token = CASE WHEN held.owner = asked.owner THEN held.token
					ELSE GREATEST(held.token + 1, asked.clock + 1) END,
				held.expires_at = asked.clock + asked.ttl
				WHERE held.expires_at <= asked.clock OR held.owner IN (asked.owner, asked.predecessor)
			WHEN NOT MATCHED THEN INSERT (name, owner, token, expires_at)
				VALUES (asked.name, asked.owner, asked.clock + 1, asked.clock + asked.ttl)""");

	private final String now;

	private final String acquire;

	LockDialect(String now, String acquire) {
		this.now = now;
		this.acquire = acquire;
	}

	/**
	 * Return the dialect of a database.
	 * @throws LockUnavailableException if there is none
	 */
	static LockDialect of(String productName) {
		String name = productName.toLowerCase(Locale.ROOT);
		if (name.contains("mariadb")) {
			return MARIADB;
		}
		return switch (name) {
			case "postgresql" -> POSTGRESQL;
			case "h2" -> H2;
			case "mysql" -> MYSQL;
			case "microsoft sql server" -> SQLSERVER;
			case "oracle" -> ORACLE;
			default -> throw new LockUnavailableException(
					"There is no SQL for locks on '%s'. Use PostgreSQL, MySQL, MariaDB or H2, or another backend"
						.formatted(productName),
					null, false);
		};
	}

	LockStatement acquire() {
		return statement(this.acquire);
	}

	/**
	 * Return a statement that has the clock where {@code {now}} stands.
	 */
	LockStatement statement(String text) {
		return new LockStatement(text.replace("{now}", this.now));
	}

	/**
	 * Return how the answer to {@link #acquire()} arrives.
	 */
	Answer answer() {
		return switch (this) {
			case MYSQL -> Answer.KEY;
			case ORACLE -> Answer.COUNT;
			default -> Answer.ROW;
		};
	}

	/**
	 * Return whether a time-out of a statement would stay behind on the connection.
	 */
	boolean keepsTimeout() {
		return this == H2;
	}

	/**
	 * Return a name as the column has it: there, no collation takes two names for one.
	 */
	Object key(String name) {
		return (this == MYSQL || this == MARIADB) ? name.getBytes(StandardCharsets.UTF_8) : name;
	}

	/**
	 * Return the statement that creates the table, without its final semicolon.
	 */
	String createStatement() {
		try {
			return new ClassPathResource("schema-lock-" + name().toLowerCase(Locale.ROOT) + ".sql", LockDialect.class)
				.getContentAsString(StandardCharsets.UTF_8)
				.replace(";", "")
				.strip();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	enum Answer {

		/** A row with whether it was granted, the token, and what the holder has left. */
		ROW,

		/** A generated key: the token if granted, else what the holder has left. */
		KEY,

		/** The number of rows written. */
		COUNT

	}

}
