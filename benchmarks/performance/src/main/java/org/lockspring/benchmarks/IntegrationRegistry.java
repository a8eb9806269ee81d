package org.lockspring.benchmarks;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * The lock registry of Spring Integration.
 */
final class IntegrationRegistry implements Contestant {

	private final LettuceConnectionFactory connections;

	private final RedisLockRegistry registry;

	IntegrationRegistry(int port, Duration ttl, RedisLockRegistry.RedisLockType type) {
		this.connections = RedisClients.lettuce(port);
		this.registry = new RedisLockRegistry(this.connections, "app", ttl);
		this.registry.setRedisLockType(type);
	}

	@Override
	public void locked(String key, Runnable body) {
		Lock lock = take(key);
		body.run();
		lock.unlock();
	}

	/**
	 * Its cache may drop a lock between the two calls, and then asks to be asked again.
	 */
	private Lock take(String key) {
		while (true) {
			Lock lock = this.registry.obtain(key);
			try {
				Contestant.require(lock.tryLock(Contestants.WAIT.toMillis(), TimeUnit.MILLISECONDS), "busy");
				return lock;
			}
			catch (IllegalStateException ex) {
				if (!String.valueOf(ex.getMessage()).contains("evicted")) {
					throw ex;
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	@Override
	public String entry(String key) {
		return "app:" + key;
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.connections.destroy();
	}

}
