package org.lockspring.transaction;

import javax.sql.DataSource;

import org.lockspring.testing.PostgresServer;
import org.lockspring.testing.UsesServer;

@UsesServer("postgresql")
class PostgresTransactionFenceTests extends TransactionFenceContract {

	@Override
	DataSource freshDatabase() {
		return PostgresServer.freshDatabase();
	}

	@Override
	String platform() {
		return "postgresql";
	}

}
