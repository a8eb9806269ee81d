package org.lockspring.faults.matrix;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

import org.lockspring.faults.nemesis.Nemesis;

/**
 * The stores that there are, and what each can suffer here.
 */
@SuppressWarnings("ImmutableEnumChecker")
public enum Backend {

	/** One Redis, or its standby. */
	REDIS(EnumSet.complementOf(EnumSet.of(Nemesis.WORKER_STALL))),

	/** Three independent servers of Redis. */
	REDLOCK(EnumSet
		.complementOf(EnumSet.of(Nemesis.WORKER_STALL, Nemesis.STORE_FAILOVER, Nemesis.STORE_EMPTY_CLOCK_BACK))),

	/**
	 * One etcd. Its clock cannot be stepped: it asks the kernel without the C library.
	 */
	ETCD(withoutRedisCommands()),

	/** One ZooKeeper. */
	ZOOKEEPER(withoutRedisCommands()),

	/**
	 * PostgreSQL, which has the resources too. Empty means that the rows of the locks are
	 * deleted.
	 */
	JDBC(withoutRedisCommands());

	private final Set<Nemesis> nemeses;

	Backend(Set<Nemesis> nemeses) {
		this.nemeses = nemeses;
	}

	private static Set<Nemesis> withoutRedisCommands() {
		return EnumSet.complementOf(EnumSet.of(Nemesis.WORKER_STALL, Nemesis.STORE_FAILOVER, Nemesis.STORE_TRUNCATED,
				Nemesis.STORE_CLOCK_AHEAD, Nemesis.STORE_CLOCK_BACK, Nemesis.STORE_EMPTY_CLOCK_BACK,
				Nemesis.SCRIPT_FLUSH, Nemesis.CLIENT_PAUSE, Nemesis.MEMORY_FULL));
	}

	/**
	 * Return the name by which applications choose it.
	 * @return one word
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return what it can suffer.
	 * @return kinds of faults
	 */
	public Set<Nemesis> nemeses() {
		return this.nemeses;
	}

}
