package org.lockspring.transaction;

import javax.sql.DataSource;

import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.testing.MariaDbServer;
import org.lockspring.testing.UsesServer;

@UsesServer("mariadb")
@EnabledIf("org.lockspring.testing.MariaDbServer#isAvailable")
class MariaDbTransactionFenceTests extends TransactionFenceContract {

	@Override
	DataSource freshDatabase() {
		return MariaDbServer.freshDatabase();
	}

	@Override
	String platform() {
		return "mariadb";
	}

}
