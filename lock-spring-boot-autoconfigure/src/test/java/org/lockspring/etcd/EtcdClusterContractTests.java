package org.lockspring.etcd;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.UsesServer;

/** The client spreads its requests over three servers, of which two follow. */
@UsesServer("etcd")
@EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")
class EtcdClusterContractTests extends EtcdContract {

	private static List<EtcdServer> servers;

	@BeforeAll
	static void start() {
		servers = EtcdServer.startCluster(3);
		connect(servers.stream().map(EtcdServer::endpoint).toArray(String[]::new));
	}

	/** Each costs the agreement of three servers. */
	@Override
	protected int rounds() {
		return 10;
	}

	@AfterAll
	static void close() {
		disconnect();
		servers.forEach(EtcdServer::close);
	}

}
