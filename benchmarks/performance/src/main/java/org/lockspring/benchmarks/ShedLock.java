package org.lockspring.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * ShedLock with a release that compares the owner, as everybody else's does. A lock
 * without a wait.
 */
final class ShedLock implements Contestant {

	private final LettuceConnectionFactory connections;

	private final LockProvider provider;

	private final Duration ttl;

	ShedLock(int port, Duration ttl) {
		this.connections = RedisClients.lettuce(port);
		this.provider = new RedisLockProvider.Builder(this.connections).environment("app").safeUpdate(true).build();
		this.ttl = ttl;
	}

	@Override
	public void locked(String key, Runnable body) {
		Optional<SimpleLock> lock = this.provider
			.lock(new LockConfiguration(Instant.now(), key, this.ttl, Duration.ZERO));
		Contestant.require(lock.isPresent(), "busy");
		body.run();
		lock.get().unlock();
	}

	@Override
	public String entry(String key) {
		return "job-lock:app:" + key;
	}

	@Override
	public void close() {
		this.connections.destroy();
	}

}
