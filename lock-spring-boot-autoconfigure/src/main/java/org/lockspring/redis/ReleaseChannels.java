package org.lockspring.redis;

import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * On which channel a lock's release is told: its name and a suffix, so that a user who is
 * limited to the keys and channels of a namespace can use it.
 */
final class ReleaseChannels {

	private static final Log logger = LogFactory.getLog(RedisLockBackend.class);

	private final String address;

	private final AtomicBoolean told = new AtomicBoolean();

	private volatile boolean sharded;

	private volatile boolean publishes = true;

	private volatile boolean subscribes = true;

	/**
	 * Create channels.
	 * @param address where Redis is
	 * @param sharded whether they are of the slots of the locks, if the server has such
	 */
	ReleaseChannels(String address, boolean sharded) {
		this.address = address;
		this.sharded = sharded;
	}

	/**
	 * Where Redis is, for messages.
	 */
	String address() {
		return this.address;
	}

	String of(String name) {
		return name + ":free";
	}

	boolean sharded() {
		return this.sharded;
	}

	/**
	 * The server is older than Redis 7.
	 */
	void notSharded() {
		this.sharded = false;
	}

	/**
	 * The command for a script that releases.
	 */
	String command() {
		return this.sharded ? "SPUBLISH" : "PUBLISH";
	}

	/**
	 * The channel for a script that releases; empty if the server would refuse it.
	 */
	String toPublish(String name) {
		return this.publishes ? of(name) : "";
	}

	/**
	 * Take the answer of a script that releases.
	 */
	void published(long answer, String channel) {
		if (answer == LockScript.NOT_PUBLISHED) {
			this.publishes = false;
			tell(command(), channel);
		}
	}

	boolean canSubscribe() {
		return this.subscribes;
	}

	void subscribeRefused(String channel) {
		this.subscribes = false;
		tell(this.sharded ? "SSUBSCRIBE" : "SUBSCRIBE", channel);
	}

	private void tell(String command, String channel) {
		if (this.told.compareAndSet(false, true)) {
			logger.warn(("Redis at %s refused %s on channel '%s': whoever waits for a lock asks from time to time "
					+ "instead of being told. Give the Redis user PUBLISH, SUBSCRIBE and UNSUBSCRIBE, in a Cluster also "
					+ "SPUBLISH, SSUBSCRIBE and SUNSUBSCRIBE, on the channels of lock.namespace")
				.formatted(this.address, command, channel));
		}
	}

}
