package org.lockspring.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.GetOption;
import org.lockspring.LockBackend;
import org.lockspring.LockBackendContract;

import static org.awaitility.Awaitility.await;

/** What all of the contract on etcd have in common. */
abstract class EtcdContract extends LockBackendContract {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private static Client client;

	private static EtcdLockBackend backend;

	static void connect(String... endpoints) {
		client = EtcdLockBackend.clientBuilder(TIMEOUT).endpoints(endpoints).build();
		backend = new EtcdLockBackend(client, TIMEOUT, String.join(",", endpoints));
	}

	static void disconnect() {
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
		return Duration.ofMillis(1500);
	}

	@Override
	protected void awaitExpiry(Duration ttl) {
		ByteSequence start = ByteSequence.from(id() + ":", StandardCharsets.UTF_8);
		GetOption all = GetOption.builder().isPrefix(true).withCountOnly(true).build();
		await().until(() -> client.getKVClient().get(start, all).join().getCount() == 0);
	}

}
