package org.lockspring.benchmarks;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * The two commands without which there is no lock.
 */
final class RawLettuce implements Contestant {

	private static final String RELEASE = """
			if redis.call('GET', KEYS[1]) == ARGV[1] then
			  return redis.call('DEL', KEYS[1])
			end
			return 0
			""";

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	private final boolean awaited;

	private final SetArgs args;

	private final String sha;

	private final AtomicLong owners = new AtomicLong();

	RawLettuce(int port, Duration ttl, boolean awaited) {
		this.client = RedisClient.create(RedisURI.create("127.0.0.1", port));
		this.connection = this.client.connect();
		this.awaited = awaited;
		this.args = SetArgs.Builder.nx().px(ttl.toMillis());
		this.sha = this.connection.sync().scriptLoad(RELEASE);
	}

	@Override
	public void locked(String key, Runnable body) {
		String owner = Long.toString(this.owners.incrementAndGet());
		Contestant.require("OK".equals(this.connection.sync().set(key, owner, this.args)), "busy");
		body.run();
		RedisFuture<Long> released = this.connection.async()
			.evalsha(this.sha, ScriptOutputType.INTEGER, new String[] { key }, owner);
		if (this.awaited) {
			Contestant.require(released.toCompletableFuture().join() == 1, "lost");
		}
	}

	void ping() {
		this.connection.sync().ping();
	}

	@Override
	public String entry(String key) {
		return key;
	}

	@Override
	public void close() {
		this.connection.close();
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
	}

}
