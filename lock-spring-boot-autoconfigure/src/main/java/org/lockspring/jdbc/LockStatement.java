package org.lockspring.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;
import org.springframework.jdbc.core.namedparam.ParsedSql;

/**
 * A statement on the table of locks, with named parameters. Run on a bare connection: the
 * templates of Spring would join the transaction of the caller.
 */
final class LockStatement {

	private final ParsedSql parsed;

	private final String sql;

	LockStatement(String text) {
		this.parsed = NamedParameterUtils.parseSqlStatement(text);
		this.sql = NamedParameterUtils.substituteNamedParameters(this.parsed, null);
	}

	/**
	 * Prepare.
	 * @param keys whether the statement tells its result as a generated key
	 */
	PreparedStatement prepare(Connection connection, Map<String, ?> values, boolean keys) throws SQLException {
		PreparedStatement statement = connection.prepareStatement(this.sql,
				keys ? Statement.RETURN_GENERATED_KEYS : Statement.NO_GENERATED_KEYS);
		try {
			set(statement, values);
			return statement;
		}
		catch (SQLException ex) {
			statement.close();
			throw ex;
		}
	}

	void set(PreparedStatement statement, Map<String, ?> values) throws SQLException {
		Object[] arguments = NamedParameterUtils.buildValueArray(this.parsed, new MapSqlParameterSource(values), null);
		for (int i = 0; i < arguments.length; i++) {
			statement.setObject(i + 1, arguments[i]);
		}
	}

}
