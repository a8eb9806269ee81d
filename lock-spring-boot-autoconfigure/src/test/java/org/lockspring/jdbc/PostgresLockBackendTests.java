package org.lockspring.jdbc;

import javax.sql.DataSource;

import org.lockspring.testing.PostgresServer;
import org.lockspring.testing.UsesServer;

@UsesServer("postgresql")
class PostgresLockBackendTests extends JdbcLockBackendContract {

	@Override
	DataSource freshDatabase() {
		return PostgresServer.freshDatabase();
	}

	@Override
	String platform() {
		return "postgresql";
	}

	@Override
	String setTimeZone() {
		return "SET TIME ZONE 'Europe/Berlin'";
	}

}
