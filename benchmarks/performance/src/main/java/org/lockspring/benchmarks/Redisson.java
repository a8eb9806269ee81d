package org.lockspring.benchmarks;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with one server, without its watchdog, which would cost it more.
 */
final class Redisson implements Contestant {

	private final RedissonClient client;

	private final long ttl;

	private final boolean fenced;

	Redisson(int port, Duration ttl, boolean fenced) {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
		this.client = org.redisson.Redisson.create(config);
		this.ttl = ttl.toMillis();
		this.fenced = fenced;
	}

	@Override
	public void locked(String key, Runnable body) {
		long wait = Contestants.WAIT.toMillis();
		if (this.fenced) {
			RFencedLock lock = this.client.getFencedLock(key);
			Contestant.require(lock.tryLockAndGetToken(wait, this.ttl, TimeUnit.MILLISECONDS) != null, "busy");
			body.run();
			lock.unlock();
			return;
		}
		RLock lock = this.client.getLock(key);
		try {
			Contestant.require(lock.tryLock(wait, this.ttl, TimeUnit.MILLISECONDS), "busy");
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		body.run();
		lock.unlock();
	}

	@Override
	public String entry(String key) {
		return key;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
