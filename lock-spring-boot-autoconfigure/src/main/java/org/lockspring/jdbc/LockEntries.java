package org.lockspring.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;

/**
 * The rows of the table of locks, seen through one connection.
 */
final class LockEntries {

	private static final int BATCH = 1000;

	// A token is a time after 2001, and no ttl comes near to that
	private static final long SMALLEST_TOKEN = 1_000_000_000_000_000L;

	private final Connection connection;

	private final LockStatements sql;

	private final int timeoutSeconds;

	LockEntries(Connection connection, LockStatements sql, int timeoutSeconds) {
		this.connection = connection;
		this.sql = sql;
		this.timeoutSeconds = timeoutSeconds;
	}

	Answer acquire(LockAttempt attempt, String predecessor) throws SQLException {
		Map<String, Object> values = Map.of("name", key(attempt.name()), "owner", owner(attempt), "predecessor",
				FenceNames.owner(predecessor), "ttl", micros(attempt.ttl()));
		return switch (this.sql.dialect().answer()) {
			case ROW -> acquireWithRow(attempt, values);
			case KEY -> acquireWithKey(values);
			case COUNT -> acquireWithCount(attempt, values);
		};
	}

	private Answer acquireWithRow(LockAttempt attempt, Map<String, Object> values) throws SQLException {
		try (PreparedStatement statement = prepare(this.sql.acquire(), values);
				ResultSet row = statement.executeQuery()) {
			if (row.next()) {
				return new Answer(row.getInt(1) == 1, row.getLong(2), row.getLong(3));
			}
		}
		return busy(look(attempt.name()));
	}

	private Answer acquireWithKey(Map<String, Object> values) throws SQLException {
		try (PreparedStatement statement = this.sql.acquire().prepare(this.connection, values, true)) {
			statement.setQueryTimeout(this.timeoutSeconds);
			statement.executeUpdate();
			try (ResultSet keys = statement.getGeneratedKeys()) {
				long key = keys.next() ? keys.getLong(1) : 0;
				return new Answer(key >= SMALLEST_TOKEN, key, key);
			}
		}
	}

	private Answer acquireWithCount(LockAttempt attempt, Map<String, Object> values) throws SQLException {
		try (PreparedStatement statement = prepare(this.sql.acquire(), values)) {
			boolean written = statement.executeUpdate() > 0;
			Entry entry = look(attempt.name());
			if (written && entry != null && entry.owner.equals(owner(attempt))) {
				return new Answer(true, entry.token, 0);
			}
			return busy(entry);
		}
	}

	private static Answer busy(@Nullable Entry entry) {
		return new Answer(false, 0, (entry != null) ? entry.left : 0);
	}

	Ownership renew(LockAttempt attempt, long token, Duration ttl) throws SQLException {
		return change(this.sql.renew(), attempt, token, ttl);
	}

	Ownership release(LockAttempt attempt, long token) throws SQLException {
		return change(this.sql.release(), attempt, token, Duration.ZERO);
	}

	private Ownership change(LockStatement change, LockAttempt attempt, long token, Duration ttl) throws SQLException {
		String owner = owner(attempt);
		if (update(change, Map.of("name", key(attempt.name()), "owner", owner, "token", token, "ttl", micros(ttl)))) {
			return Ownership.HELD;
		}
		Entry entry = look(attempt.name());
		if (entry == null || entry.left <= 0) {
			return Ownership.EXPIRED;
		}
		// A driver may not count a row that already had the new value
		return (entry.owner.equals(owner) && entry.token == token) ? Ownership.HELD : Ownership.TAKEN;
	}

	boolean abandon(LockAttempt attempt) throws SQLException {
		return update(this.sql.abandon(), Map.of("name", key(attempt.name()), "owner", owner(attempt)));
	}

	boolean deleteOld(Duration retention) throws SQLException {
		List<Object> names = new ArrayList<>();
		try (PreparedStatement statement = prepare(this.sql.findOld(), Map.of("retention", micros(retention)))) {
			statement.setMaxRows(BATCH);
			try (ResultSet rows = statement.executeQuery()) {
				while (rows.next()) {
					names.add(rows.getObject(1));
				}
			}
		}
		for (Object name : names) {
			update(this.sql.deleteOld(), Map.of("name", name, "retention", micros(retention)));
		}
		return names.size() == BATCH;
	}

	boolean contains(String name) throws SQLException {
		return look(name) != null;
	}

	Optional<String> ask(String query) throws SQLException {
		try (PreparedStatement statement = this.connection.prepareStatement(query);
				ResultSet row = statement.executeQuery()) {
			return row.next() ? Optional.ofNullable(row.getString(1)) : Optional.empty();
		}
	}

	private @Nullable Entry look(String name) throws SQLException {
		try (PreparedStatement statement = prepare(this.sql.look(), Map.of("name", key(name)));
				ResultSet row = statement.executeQuery()) {
			return row.next() ? new Entry(row.getString(1), row.getLong(2), row.getLong(3)) : null;
		}
	}

	private boolean update(LockStatement update, Map<String, ?> values) throws SQLException {
		try (PreparedStatement statement = prepare(update, values)) {
			return statement.executeUpdate() > 0;
		}
	}

	private PreparedStatement prepare(LockStatement statement, Map<String, ?> values) throws SQLException {
		PreparedStatement prepared = statement.prepare(this.connection, values, false);
		if (!this.sql.dialect().keepsTimeout()) {
			prepared.setQueryTimeout(this.timeoutSeconds);
		}
		return prepared;
	}

	private Object key(String name) {
		return this.sql.dialect().key(name);
	}

	private static String owner(LockAttempt attempt) {
		return FenceNames.owner(attempt.owner());
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

	/**
	 * What the database answered.
	 *
	 * @param left microseconds that the holder's entry has left; zero if it is not known
	 */
	record Answer(boolean granted, long token, long left) {

	}

	private record Entry(String owner, long token, long left) {

	}

}
