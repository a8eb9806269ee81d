package org.lockspring.benchmarks;

import java.time.Duration;
import java.util.List;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The template of lock4j over {@code RedisTemplate}, without its renewal, which would
 * cost it a thread per lock.
 */
final class Lock4j implements Contestant {

	private final LettuceConnectionFactory connections;

	private final LockTemplate template = new LockTemplate();

	private final long ttl;

	Lock4j(int port, Duration ttl) {
		this.connections = RedisClients.lettuce(port);
		Lock4jProperties properties = new Lock4jProperties();
		this.template.setProperties(properties);
		this.template.setExecutors(
				List.of(new RedisTemplateLockExecutor(new StringRedisTemplate(this.connections), properties)));
		try {
			this.template.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		this.ttl = ttl.toMillis();
	}

	@Override
	public void locked(String key, Runnable body) {
		LockInfo lock = this.template.lock(key, this.ttl, Contestants.WAIT.toMillis());
		Contestant.require(lock != null, "busy");
		body.run();
		Contestant.require(this.template.releaseLock(lock), "lost");
	}

	@Override
	public String entry(String key) {
		return key;
	}

	@Override
	public void close() {
		this.connections.destroy();
	}

}
