package org.lockspring.jdbc;

import java.util.UUID;

import javax.sql.DataSource;

import org.h2.jdbcx.JdbcDataSource;
import org.lockspring.testing.UsesServer;

@UsesServer("h2")
class H2LockBackendTests extends JdbcLockBackendContract {

	@Override
	DataSource freshDatabase() {
		JdbcDataSource dataSource = new JdbcDataSource();
		dataSource.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		return dataSource;
	}

	@Override
	String platform() {
		return "h2";
	}

	@Override
	String setTimeZone() {
		return "SET TIME ZONE 'Europe/Berlin'";
	}

	@Override
	int statementsWhenBusy() {
		return 2;
	}

}
