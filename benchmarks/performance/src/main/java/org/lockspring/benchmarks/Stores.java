package org.lockspring.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import io.lettuce.core.RedisURI;
import org.lockspring.redis.RedlockBackend;
import org.lockspring.redis.RedlockSettings;

/**
 * Other stores than one Redis, with our lock and by hand. Public for the generated
 * benchmarks.
 */
public enum Stores {

	ETCD_BY_HAND("etcd", "by hand", EtcdByHand::new),

	ETCD("etcd", "CORRECTNESS, template", BackendContestant::etcd),

	ZOOKEEPER_BY_HAND("zookeeper", "by hand", ZooKeeperByHand::new),

	ZOOKEEPER("zookeeper", "CORRECTNESS, template", BackendContestant::zooKeeper),

	JDBC_BY_HAND("jdbc", "by hand", JdbcByHand::new),

	JDBC("jdbc", "CORRECTNESS, template", BackendContestant::jdbc),

	REDLOCK("redlock", "CORRECTNESS, template", Stores::redlock);

	private final String store;

	private final String title;

	private final Function<String, Contestant> start;

	Stores(String store, String title, Function<String, Contestant> start) {
		this.store = store;
		this.title = title;
		this.start = start;
	}

	private static Contestant redlock(String addresses) {
		List<RedisURI> nodes = Arrays.stream(addresses.split(",")).map(RedisURI::create).toList();
		RedlockSettings defaults = new RedlockSettings(nodes, "app");
		RedlockBackend backend = new RedlockBackend(new RedlockSettings(nodes, defaults.quorum(),
				defaults.nodeTimeout(), Duration.ofMinutes(1), true, false, "app"), null);
		return new BackendContestant(backend, backend);
	}

	Contestant start(String address) {
		return this.start.apply(address);
	}

	String store() {
		return this.store;
	}

	String title() {
		return this.title;
	}

}
