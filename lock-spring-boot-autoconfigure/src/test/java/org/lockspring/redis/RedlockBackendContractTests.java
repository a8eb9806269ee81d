package org.lockspring.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.lockspring.LockBackend;
import org.lockspring.LockBackendContract;
import org.lockspring.testing.RedisServers;
import org.lockspring.testing.UsesServer;

@UsesServer("redis")
class RedlockBackendContractTests extends LockBackendContract {

	private static RedisServers servers;

	private static RedlockBackend backend;

	@BeforeAll
	static void connect() {
		servers = RedisServers.start(5);
		backend = Redlocks.bootstrapped(servers.uris());
	}

	@AfterAll
	static void close() {
		backend.close();
		servers.close();
	}

	/**
	 * Counters begin at the servers' clocks. Only from counters that are equal does every
	 * quorum make the same token of a repeated request.
	 */
	@BeforeEach
	void countAlike() {
		long largest = servers.servers().stream().mapToLong((server) -> {
			Object counter = server.command("HGET", "test:redlock", "counter");
			return Long.parseLong(String.valueOf(counter));
		}).max().orElseThrow();
		servers.servers()
			.forEach((server) -> server.command("HSET", "test:redlock", "counter", String.valueOf(largest)));
	}

	@Override
	protected LockBackend backend() {
		return backend;
	}

}
