package org.lockspring.etcd;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.UsesServer;

@UsesServer("etcd")
@EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")
class EtcdLockBackendContractTests extends EtcdContract {

	@BeforeAll
	static void connect() {
		connect(EtcdServer.shared().endpoint());
	}

	@AfterAll
	static void close() {
		disconnect();
	}

}
