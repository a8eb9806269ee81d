package org.lockspring.faults.store;

import org.lockspring.faults.matrix.Backend;
import org.lockspring.faults.resource.Resources;

/**
 * Starts stores.
 */
public final class Stores {

	private Stores() {
	}

	/**
	 * Start a store.
	 * @param backend which
	 * @param resources the database that is there already
	 * @return servers that answer
	 */
	public static Store start(Backend backend, Resources resources) {
		return switch (backend) {
			case REDIS -> new RedisStore();
			case REDLOCK -> new RedlockStore();
			case ETCD -> new EtcdStore();
			case ZOOKEEPER -> new ZooKeeperStore();
			case JDBC -> new JdbcStore(resources.jdbc(), resources.database());
		};
	}

}
