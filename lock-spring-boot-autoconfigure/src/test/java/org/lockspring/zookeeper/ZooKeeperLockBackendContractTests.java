package org.lockspring.zookeeper;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.lockspring.LockBackend;
import org.lockspring.LockBackendContract;
import org.lockspring.testing.UsesServer;

@UsesServer("zookeeper")
class ZooKeeperLockBackendContractTests extends LockBackendContract {

	private static TestingServer server;

	private static CuratorFramework client;

	private static ZooKeeperLockBackend backend;

	@BeforeAll
	static void connect() throws Exception {
		server = ZooKeeperProcess.server();
		client = ZooKeeperProcess.client(server.getConnectString(), Duration.ofSeconds(40));
		backend = new ZooKeeperLockBackend(client, Duration.ofSeconds(20));
	}

	@AfterAll
	static void close() throws Exception {
		backend.close();
		client.close();
		server.close();
	}

	@Override
	protected LockBackend backend() {
		return backend;
	}

}
