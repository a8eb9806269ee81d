package org.lockspring.jdbc;

import javax.sql.DataSource;

import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.testing.MariaDbServer;
import org.lockspring.testing.UsesServer;

@UsesServer("mariadb")
@EnabledIf("org.lockspring.testing.MariaDbServer#isAvailable")
class MariaDbLockBackendTests extends JdbcLockBackendContract {

	@Override
	DataSource freshDatabase() {
		return MariaDbServer.freshDatabase();
	}

	@Override
	String platform() {
		return "mariadb";
	}

	@Override
	String setTimeZone() {
		return "SET time_zone = '-04:30'";
	}

}
