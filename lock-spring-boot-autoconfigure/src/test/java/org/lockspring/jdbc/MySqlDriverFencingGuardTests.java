package org.lockspring.jdbc;

import javax.sql.DataSource;

import org.lockspring.testing.MariaDbServer;

/**
 * MySQL's driver and schema, on MariaDB.
 */
class MySqlDriverFencingGuardTests extends MariaDbFencingGuardTests {

	@Override
	DataSource freshDatabase() {
		return MariaDbServer.mysqlDriverDataSource();
	}

	@Override
	String platform() {
		return "mysql";
	}

}
