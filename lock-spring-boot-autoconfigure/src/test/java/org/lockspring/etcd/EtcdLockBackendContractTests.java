package org.lockspring.etcd;

import java.time.Duration;

import io.etcd.jetcd.Client;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.LockBackend;
import org.lockspring.LockBackendContract;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.UsesServer;

@UsesServer("etcd")
@EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")
class EtcdLockBackendContractTests extends LockBackendContract {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private static Client client;

	private static EtcdLockBackend backend;

	@BeforeAll
	static void connect() {
		String endpoint = EtcdServer.shared().endpoint();
		client = EtcdLockBackend.clientBuilder(TIMEOUT).endpoints(endpoint).build();
		backend = new EtcdLockBackend(client, TIMEOUT, endpoint);
	}

	@AfterAll
	static void close() {
		backend.close();
		client.close();
	}

	@Override
	protected LockBackend backend() {
		return backend;
	}

	@Override
	protected Duration shortTtl() {
		return Duration.ofSeconds(1);
	}

	/** etcd looks for ended leases twice a second, and revokes them by consensus. */
	@Override
	protected Duration expiryMargin() {
		return Duration.ofMillis(2500);
	}

}
