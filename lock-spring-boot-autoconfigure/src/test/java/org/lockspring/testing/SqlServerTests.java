package org.lockspring.testing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

import static org.assertj.core.api.Assertions.assertThat;

class SqlServerTests {

	@Nested
	@UsesServer("postgresql")
	class Postgres {

		@Test
		void everyDatabaseIsFresh() throws SQLException {
			DataSource first = PostgresServer.freshDatabase();
			execute(first, "CREATE TABLE only_here (id INT)");
			execute(PostgresServer.freshDatabase(), "CREATE TABLE only_here (id INT)");
			assertThat(query(first, "SELECT version()")).startsWith("PostgreSQL");
			assertThat(query(first, "SELECT inet_server_port()")).isEqualTo(String.valueOf(PostgresServer.port()));
		}

		@Test
		void defaultIsolationIsReadCommitted() throws SQLException {
			assertThat(query(PostgresServer.freshDatabase(), "SHOW transaction_isolation")).isEqualTo("read committed");
		}

	}

	@Nested
	@UsesServer("mariadb")
	@EnabledIf("org.lockspring.testing.MariaDbServer#isAvailable")
	class MariaDb {

		@Test
		void everyDatabaseIsFresh() throws SQLException {
			DataSource first = MariaDbServer.freshDatabase();
			execute(first, "CREATE TABLE only_here (id INT)");
			execute(MariaDbServer.freshDatabase(), "CREATE TABLE only_here (id INT)");
			assertThat(query(first, "SELECT version()")).contains("MariaDB");
			assertThat(query(first, "SELECT @@port")).isEqualTo(String.valueOf(MariaDbServer.port()));
		}

		@Test
		void mysqlDriverWorksWithTransactions() throws SQLException {
			DataSource dataSource = MariaDbServer.mysqlDriverDataSource();
			execute(dataSource, "CREATE TABLE counter (id INT PRIMARY KEY, n BIGINT)");
			try (Connection connection = dataSource.getConnection()) {
				assertThat(connection.getMetaData().getDriverName()).contains("MySQL Connector/J");
				connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
				connection.setAutoCommit(false);
				connection.createStatement().executeUpdate("INSERT INTO counter VALUES (1, 5)");
				assertThat(query(dataSource, "SELECT COUNT(*) FROM counter")).isEqualTo("0");
				connection.commit();
			}
			assertThat(query(dataSource, "SELECT n FROM counter")).isEqualTo("5");
		}

	}

	private static void execute(DataSource dataSource, String sql) throws SQLException {
		try (Connection connection = dataSource.getConnection(); var statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	private static String query(DataSource dataSource, String sql) throws SQLException {
		try (Connection connection = dataSource.getConnection();
				var statement = connection.createStatement();
				ResultSet result = statement.executeQuery(sql)) {
			result.next();
			return result.getString(1);
		}
	}

}
