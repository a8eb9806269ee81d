package org.lockspring.jdbc;

import javax.sql.DataSource;

import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.testing.MariaDbServer;
import org.lockspring.testing.UsesServer;

@UsesServer("mariadb")
@EnabledIf("org.lockspring.testing.MariaDbServer#isAvailable")
class MariaDbFencingGuardTests extends JdbcFencingGuardContract {

	@Override
	DataSource freshDatabase() {
		return MariaDbServer.freshDatabase();
	}

	@Override
	String platform() {
		return "mariadb";
	}

	@Override
	String shortLockTimeout() {
		return "SET innodb_lock_wait_timeout = 1";
	}

	@Override
	boolean failsOnOldSnapshot() {
		return false;
	}

}
