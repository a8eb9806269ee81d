package org.lockspring.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import org.jspecify.annotations.Nullable;
import org.lockspring.Acquisition;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;

/** A client with a backend and a template, as one process would have them. */
final class EtcdProcess implements AutoCloseable {

	static final String NAME = "app:{k}";

	final LostReplies lostReplies = new LostReplies();

	final Client client;

	final EtcdLockBackend backend;

	final LockTemplate template;

	EtcdProcess(Duration timeout, String... endpoints) {
		this.client = EtcdLockBackend.clientBuilder(timeout).interceptor(this.lostReplies).endpoints(endpoints).build();
		this.backend = new EtcdLockBackend(this.client, timeout, String.join(",", endpoints));
		this.template = new LockTemplate(this.backend, new LockSettings("app"));
	}

	EtcdLease granted(LockAttempt attempt) {
		return (EtcdLease) ((Acquisition.Granted) this.backend.tryAcquire(attempt)).lease();
	}

	static LockAttempt attempt(LockMode mode, Duration ttl) {
		return new LockAttempt(NAME, UUID.randomUUID().toString(), mode, ttl, "'k'");
	}

	@Nullable KeyValue entry() {
		ByteSequence key = ByteSequence.from(NAME, StandardCharsets.UTF_8);
		return this.client.getKVClient()
			.get(key)
			.orTimeout(10, TimeUnit.SECONDS)
			.join()
			.getKvs()
			.stream()
			.findFirst()
			.orElse(null);
	}

	boolean exists() {
		return entry() != null;
	}

	@Override
	public void close() {
		this.template.close();
		this.backend.close();
		this.client.close();
	}

}
