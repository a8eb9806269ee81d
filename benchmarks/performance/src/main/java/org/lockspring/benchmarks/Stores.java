package org.lockspring.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.lettuce.core.RedisURI;
import org.lockspring.redis.RedlockBackend;
import org.lockspring.redis.RedlockSettings;

/**
 * Other stores than one Redis, with our lock and by hand. Public for the generated
 * benchmarks.
 */
public enum Stores {

	ETCD_BY_HAND("etcd", "by hand") {

		@Override
		Contestant start(String address) {
			return new EtcdByHand(address);
		}

	},

	ETCD("etcd", "CORRECTNESS, template") {

		@Override
		Contestant start(String address) {
			return BackendContestant.etcd(address);
		}

	},

	ZOOKEEPER_BY_HAND("zookeeper", "by hand") {

		@Override
		Contestant start(String address) {
			return new ZooKeeperByHand(address);
		}

	},

	ZOOKEEPER("zookeeper", "CORRECTNESS, template") {

		@Override
		Contestant start(String address) {
			return BackendContestant.zooKeeper(address);
		}

	},

	JDBC_BY_HAND("jdbc", "by hand") {

		@Override
		Contestant start(String address) {
			return new JdbcByHand(address);
		}

	},

	JDBC("jdbc", "CORRECTNESS, template") {

		@Override
		Contestant start(String address) {
			return BackendContestant.jdbc(address);
		}

	},

	REDLOCK("redlock", "CORRECTNESS, template") {

		@Override
		Contestant start(String address) {
			List<RedisURI> nodes = Arrays.stream(address.split(",")).map(RedisURI::create).toList();
			RedlockSettings defaults = new RedlockSettings(nodes, "app");
			RedlockBackend backend = new RedlockBackend(new RedlockSettings(nodes, defaults.quorum(),
					defaults.nodeTimeout(), Duration.ofMinutes(1), true, false, "app"), null);
			return new BackendContestant(backend, backend);
		}

	};

	private final String store;

	private final String title;

	Stores(String store, String title) {
		this.store = store;
		this.title = title;
	}

	abstract Contestant start(String address);

	String store() {
		return this.store;
	}

	String title() {
		return this.title;
	}

}
