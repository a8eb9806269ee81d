package org.lockspring.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
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

	@Override
	protected LockBackend backend() {
		return backend;
	}

}
