package org.lockspring.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.lockspring.LockBackend;
import org.lockspring.LockBackendContract;
import org.lockspring.testing.UsesServer;

/** An ensemble of three, of which two follow. Each test asks the next one. */
@UsesServer("zookeeper")
class ZooKeeperClusterContractTests extends LockBackendContract {

	private static final TestingCluster cluster = new TestingCluster(3);

	private static final List<CuratorFramework> clients = new ArrayList<>();

	private static final List<ZooKeeperLockBackend> backends = new ArrayList<>();

	private static int next;

	private final ZooKeeperLockBackend backend = backends.get(next++ % backends.size());

	@BeforeAll
	static void start() throws Exception {
		cluster.start();
		for (InstanceSpec server : cluster.getInstances()) {
			CuratorFramework client = ZooKeeperProcess.client("127.0.0.1:" + server.getPort(), Duration.ofSeconds(40));
			clients.add(client);
			backends.add(new ZooKeeperLockBackend(client, Duration.ofSeconds(20)));
			client.blockUntilConnected();
		}
	}

	@AfterAll
	static void close() throws Exception {
		backends.forEach(ZooKeeperLockBackend::close);
		clients.forEach(CuratorFramework::close);
		cluster.close();
	}

	@Override
	protected LockBackend backend() {
		return this.backend;
	}

}
