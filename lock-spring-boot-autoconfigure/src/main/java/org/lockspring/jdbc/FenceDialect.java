package org.lockspring.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Where the databases differ: how to insert a row unless it is there without an error
 * that would end an open transaction, and how to keep names apart that only a collation
 * takes for equal.
 */
enum FenceDialect {

	POSTGRESQL(" ON CONFLICT DO NOTHING"),

	H2(""),

	MYSQL(" ON DUPLICATE KEY UPDATE resource = resource"),

	MARIADB(" ON DUPLICATE KEY UPDATE resource = resource"),

	/**
	 * Any other: a duplicate key must not end its transactions.
	 */
	OTHER("");

	private static final String INSERT = "INSERT INTO lock_fence (resource, token, owner, namespace, updated_at) "
			+ "VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP)";

	private static final String SELECT = "SELECT token, owner, namespace FROM lock_fence WHERE resource = ?";

	private final String ifAbsent;

	FenceDialect(String ifAbsent) {
		this.ifAbsent = ifAbsent;
	}

	static FenceDialect of(String productName) {
		String name = productName.toLowerCase(Locale.ROOT);
		if (name.contains("mariadb")) {
			return MARIADB;
		}
		return switch (name) {
			case "postgresql" -> POSTGRESQL;
			case "h2" -> H2;
			case "mysql" -> MYSQL;
			default -> OTHER;
		};
	}

	/**
	 * Return whether, at its default isolation, an UPDATE that finds no row locks the gap
	 * where the row would be. Two callers with two new rows would then block each other.
	 */
	boolean locksGaps() {
		return this == MYSQL || this == MARIADB;
	}

	/**
	 * Return a resource as the column has it.
	 */
	Object key(String resource) {
		return locksGaps() ? resource.getBytes(StandardCharsets.UTF_8) : resource;
	}

	void insertIfAbsent(JdbcTemplate jdbc, Object key, long token, String owner, String namespace) {
		try {
			jdbc.update(INSERT + this.ifAbsent, key, token, owner, namespace);
		}
		catch (DuplicateKeyException ex) {
			// Somebody was faster
		}
	}

	/**
	 * Return a query for the newest state of a row, whatever the snapshot of the
	 * transaction says.
	 */
	String select() {
		return (this == OTHER) ? SELECT : SELECT + " FOR UPDATE";
	}

	/**
	 * Return the statement that creates the table, without its final semicolon.
	 */
	String createStatement() {
		String platform = (this == OTHER) ? H2.platform() : platform();
		try {
			return new ClassPathResource("schema-fence-" + platform + ".sql", FenceDialect.class)
				.getContentAsString(StandardCharsets.UTF_8)
				.replace(";", "")
				.strip();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private String platform() {
		return name().toLowerCase(Locale.ROOT);
	}

}
