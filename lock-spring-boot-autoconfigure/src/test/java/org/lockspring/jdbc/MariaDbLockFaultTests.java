package org.lockspring.jdbc;

import javax.sql.DataSource;

import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.testing.MariaDbServer;
import org.lockspring.testing.UsesServer;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

@UsesServer("mariadb")
@EnabledIf("org.lockspring.testing.MariaDbServer#isAvailable")
class MariaDbLockFaultTests extends JdbcLockFaultContract {

	private final DriverManagerDataSource database = (DriverManagerDataSource) MariaDbServer.freshDatabase();

	@Override
	int port() {
		return MariaDbServer.port();
	}

	@Override
	DataSource database(int port) {
		return new DriverManagerDataSource(this.database.getUrl().replace(":" + port() + "/", ":" + port + "/"), "root",
				"");
	}

	@Override
	String platform() {
		return "mariadb";
	}

	@Override
	void pause() {
		MariaDbServer.pause();
	}

	@Override
	void resume() {
		MariaDbServer.resume();
	}

	@Override
	void crash() {
		MariaDbServer.crash();
	}

}
