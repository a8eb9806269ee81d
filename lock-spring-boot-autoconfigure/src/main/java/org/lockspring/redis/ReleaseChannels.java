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

	private volatile boolean publishes = true;

	private volatile boolean subscribes = true;

	ReleaseChannels(String address) {
		this.address = address;
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
			tell("PUBLISH", channel);
		}
	}

	boolean canSubscribe() {
		return this.subscribes;
	}

	void subscribeRefused(String channel) {
		this.subscribes = false;
		tell("SUBSCRIBE", channel);
	}

	private void tell(String command, String channel) {
		if (this.told.compareAndSet(false, true)) {
			logger.warn(("Redis at %s refused %s on channel '%s': whoever waits for a lock asks from time to time "
					+ "instead of being told. Give the Redis user PUBLISH, SUBSCRIBE and UNSUBSCRIBE on the channels "
					+ "of lock.namespace")
				.formatted(this.address, command, channel));
		}
	}

}
