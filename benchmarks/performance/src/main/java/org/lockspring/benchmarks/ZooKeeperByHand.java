package org.lockspring.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * An ephemeral node, which is read before it is deleted: there is no comparing delete.
 */
final class ZooKeeperByHand implements Contestant {

	private final CuratorFramework client;

	private final ZooKeeper zooKeeper;

	private final AtomicLong owners = new AtomicLong();

	ZooKeeperByHand(String connectString) {
		this.client = connect(connectString);
		try {
			this.zooKeeper = this.client.getZookeeperClient().getZooKeeper();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	static CuratorFramework connect(String connectString) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs(30_000)
			.retryPolicy(new RetryOneTime(100))
			.build();
		client.start();
		try {
			client.blockUntilConnected();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return client;
	}

	@Override
	public void locked(String key, Runnable body) {
		String path = "/" + key;
		byte[] owner = Long.toString(this.owners.incrementAndGet()).getBytes(StandardCharsets.UTF_8);
		try {
			Stat stat = new Stat();
			this.zooKeeper.create(path, owner, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL, stat);
			body.run();
			Stat found = new Stat();
			this.zooKeeper.getData(path, false, found);
			Contestant.require(found.getCzxid() == stat.getCzxid(), "lost");
			this.zooKeeper.delete(path, -1);
		}
		catch (KeeperException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public String entry(String key) {
		return "/" + key;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
