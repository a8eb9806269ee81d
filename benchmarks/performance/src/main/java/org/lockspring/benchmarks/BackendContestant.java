package org.lockspring.benchmarks;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.etcd.jetcd.Client;
import org.apache.curator.framework.CuratorFramework;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.etcd.EtcdLockBackend;
import org.lockspring.jdbc.JdbcLockBackend;
import org.lockspring.zookeeper.ZooKeeperLockBackend;

/**
 * Our template over any store, in CORRECTNESS.
 */
final class BackendContestant implements Contestant {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final LockTemplate template;

	private final AutoCloseable[] resources;

	BackendContestant(LockBackend backend, AutoCloseable... resources) {
		this.template = new LockTemplate(backend, new LockSettings("app", Contestants.TTL, Duration.ZERO));
		this.resources = resources;
	}

	static Contestant etcd(String endpoint) {
		Client client = EtcdLockBackend.clientBuilder(TIMEOUT).endpoints(endpoint).build();
		EtcdLockBackend backend = new EtcdLockBackend(client, TIMEOUT, endpoint);
		return new BackendContestant(backend, backend, client);
	}

	static Contestant zooKeeper(String connectString) {
		CuratorFramework client = ZooKeeperByHand.connect(connectString);
		ZooKeeperLockBackend backend = new ZooKeeperLockBackend(client, TIMEOUT);
		return new BackendContestant(backend, backend, client);
	}

	static Contestant jdbc(String url) {
		HikariDataSource dataSource = JdbcByHand.connect(url);
		JdbcLockBackend backend = new JdbcLockBackend(dataSource, Duration.ofDays(7), TIMEOUT);
		return new BackendContestant(backend, backend, dataSource);
	}

	@Override
	public void locked(String key, Runnable body) {
		this.template.execute(LockRequest.of(key).withMode(LockMode.CORRECTNESS), (lease) -> {
			body.run();
			return null;
		});
	}

	@Override
	public String entry(String key) {
		return "app:{" + key + "}";
	}

	@Override
	public void close() {
		this.template.close();
		for (AutoCloseable resource : this.resources) {
			try {
				resource.close();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

}
