package org.lockspring.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * One statement on PostgreSQL that takes a row if its time is over, and raises its token;
 * one that ends its time. Each on a pooled connection.
 */
final class JdbcByHand implements Contestant {

	private static final String NOW = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";

	private static final String ACQUIRE = """
			INSERT INTO lock_entry AS held (name, owner, token, expires_at) VALUES (?, ?, {now} + 1, {now} + ?)
			ON CONFLICT (name) DO UPDATE SET owner = excluded.owner,
				token = GREATEST(held.token + 1, excluded.token), expires_at = excluded.expires_at
			WHERE held.expires_at <= {now}
			RETURNING token""".replace("{now}", NOW);

	private static final String RELEASE = """
			UPDATE lock_entry SET expires_at = {now} WHERE name = ? AND owner = ? AND token = ?
			AND expires_at > {now}""".replace("{now}", NOW);

	private final HikariDataSource dataSource;

	private final AtomicLong owners = new AtomicLong();

	JdbcByHand(String url) {
		this.dataSource = connect(url);
	}

	/** As Boot does it, and with the table. */
	static HikariDataSource connect(String url) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		HikariDataSource dataSource = new HikariDataSource(config);
		new ResourceDatabasePopulator(new ClassPathResource("org/lockspring/jdbc/schema-lock-postgresql.sql"))
			.execute(dataSource);
		return dataSource;
	}

	@Override
	public void locked(String key, Runnable body) {
		String owner = Long.toString(this.owners.incrementAndGet());
		try {
			long token = acquire(key, owner);
			body.run();
			release(key, owner, token);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private long acquire(String key, String owner) throws SQLException {
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = connection.prepareStatement(ACQUIRE)) {
			statement.setString(1, key);
			statement.setString(2, owner);
			statement.setLong(3, Contestants.TTL.toNanos() / 1000);
			try (ResultSet row = statement.executeQuery()) {
				Contestant.require(row.next(), "busy");
				return row.getLong(1);
			}
		}
	}

	private void release(String key, String owner, long token) throws SQLException {
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = connection.prepareStatement(RELEASE)) {
			statement.setString(1, key);
			statement.setString(2, owner);
			statement.setLong(3, token);
			Contestant.require(statement.executeUpdate() == 1, "lost");
		}
	}

	@Override
	public String entry(String key) {
		return key;
	}

	@Override
	public void close() {
		this.dataSource.close();
	}

}
