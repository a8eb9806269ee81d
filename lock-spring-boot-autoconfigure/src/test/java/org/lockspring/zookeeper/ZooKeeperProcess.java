package org.lockspring.zookeeper;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.Version;
import org.lockspring.Acquisition;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.TestServers;

/** A client with a backend and a template, as one process would have them. */
final class ZooKeeperProcess implements AutoCloseable {

	static final String NAME = "app:{k}";

	static final String PATH = NodePaths.of(NAME);

	final CuratorFramework client;

	final ZooKeeperLockBackend backend;

	final LockTemplate template;

	ZooKeeperProcess(String connectString, Duration sessionTimeout) {
		this.client = client(connectString, sessionTimeout);
		this.backend = new ZooKeeperLockBackend(this.client, Duration.ofSeconds(5));
		this.template = new LockTemplate(this.backend, new LockSettings("app"));
	}

	/** With short ticks, so that short sessions are possible. */
	static TestingServer server() throws Exception {
		TestServers.started("zookeeper", Version.getVersion() + " (in this JVM)");
		return new TestingServer(
				new InstanceSpec(null, -1, -1, -1, true, -1, 200, -1, Map.of("maxSessionTimeout", "60000")), true);
	}

	static CuratorFramework client(String connectString, Duration sessionTimeout) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs(5000)
			.retryPolicy(new RetryOneTime(100))
			.build();
		client.start();
		return client;
	}

	ZooKeeperLease granted(LockAttempt attempt) {
		return (ZooKeeperLease) ((Acquisition.Granted) this.backend.tryAcquire(attempt)).lease();
	}

	static LockAttempt attempt(LockMode mode, Duration ttl) {
		return new LockAttempt(NAME, UUID.randomUUID().toString(), mode, ttl, "'k'");
	}

	boolean exists() throws Exception {
		return this.client.checkExists().forPath(PATH) != null;
	}

	@Override
	public void close() {
		this.template.close();
		this.backend.close();
		this.client.close();
	}

}
