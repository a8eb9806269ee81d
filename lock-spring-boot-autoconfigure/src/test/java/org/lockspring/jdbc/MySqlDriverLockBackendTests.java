package org.lockspring.jdbc;

import javax.sql.DataSource;

import org.lockspring.testing.MariaDbServer;

/**
 * The statements for MySQL through its driver, on MariaDB.
 */
class MySqlDriverLockBackendTests extends MariaDbLockBackendTests {

	@Override
	DataSource freshDatabase() {
		return MariaDbServer.mysqlDriverDataSource();
	}

	@Override
	String platform() {
		return "mysql";
	}

}
