package org.lockspring.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.lease.LeaseRevokeResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The requests that a lock makes, each waited for no longer than the time-out. Those that
 * write compare a revision, so that one which arrives late or twice does nothing.
 */
final class EtcdCalls {

	private static final Log logger = LogFactory.getLog(EtcdLockBackend.class);

	private static final Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

	private final Client client;

	private final Duration timeout;

	private volatile boolean closed;

	EtcdCalls(Client client, Duration timeout) {
		this.client = client;
		this.timeout = timeout;
	}

	LeaseGrantResponse grant(long seconds) {
		return await(this.client.getLeaseClient().grant(seconds));
	}

	/**
	 * Let a lease live for its whole time again.
	 * @return how many seconds that is; 0 if there is no such lease
	 */
	long keepAlive(long leaseId) {
		try {
			return await(this.client.getLeaseClient().keepAliveOnce(leaseId)).getTTL();
		}
		catch (EtcdException ex) {
			if (ex.getErrorCode() == ErrorCode.NOT_FOUND) {
				return 0;
			}
			throw ex;
		}
	}

	@Nullable KeyValue get(ByteSequence key) {
		return first(await(this.client.getKVClient().get(key)));
	}

	/**
	 * Put if there is nothing, and return what is there then.
	 */
	TxnResponse putIfAbsent(ByteSequence key, ByteSequence value, long leaseId) {
		return change(key, CmpTarget.createRevision(0), put(key, value, leaseId), get(key, GetOption.DEFAULT));
	}

	/**
	 * Attach the entry to another lease if nobody touched it. Keeps its create revision.
	 */
	TxnResponse attach(KeyValue entry, long leaseId) {
		return change(entry.getKey(), CmpTarget.modRevision(entry.getModRevision()),
				put(entry.getKey(), entry.getValue(), leaseId));
	}

	TxnResponse delete(ByteSequence key, long createRevision) {
		return change(key, CmpTarget.createRevision(createRevision), Op.delete(key, DeleteOption.DEFAULT));
	}

	private TxnResponse change(ByteSequence key, CmpTarget<?> expected, Op... changes) {
		return await(this.client.getKVClient()
			.txn()
			.If(new Cmp(key, Cmp.Op.EQUAL, expected))
			.Then(changes)
			.Else(get(key, GetOption.DEFAULT))
			.commit());
	}

	/**
	 * Return the entry that a transaction read.
	 */
	static @Nullable KeyValue entry(TxnResponse answer) {
		return first(answer.getGetResponses().get(0));
	}

	private static @Nullable KeyValue first(GetResponse answer) {
		List<KeyValue> found = answer.getKvs();
		return found.isEmpty() ? null : found.get(0);
	}

	private static Op put(ByteSequence key, ByteSequence value, long leaseId) {
		return Op.put(key, value, PutOption.builder().withLeaseId(leaseId).build());
	}

	private static Op get(ByteSequence key, GetOption option) {
		return Op.get(key, option);
	}

	/**
	 * End a lease that nothing depends on, without waiting. If that fails, it ends by
	 * itself.
	 */
	void revoke(long leaseId) {
		CompletionStage<LeaseRevokeResponse> answer = this.client.getLeaseClient().revoke(leaseId);
		answer.whenComplete((revoked, ex) -> logger.trace("Lease " + leaseId + " was revoked", ex));
	}

	/**
	 * End a lease, and with it an entry that may have been granted without our knowing. A
	 * put that arrives after that fails, since its lease is gone. Tried again until it
	 * succeeds or the lease has ended by itself.
	 */
	void abandon(long leaseId, long until) {
		CompletionStage<LeaseRevokeResponse> answer = this.client.getLeaseClient().revoke(leaseId);
		answer.whenComplete((revoked, ex) -> {
			if (ex != null && !EtcdFailure.isNotFound(ex) && !this.closed && System.nanoTime() - until < 0) {
				later.execute(() -> abandon(leaseId, until));
			}
		});
	}

	private <T> T await(CompletableFuture<T> answer) {
		try {
			return answer.orTimeout(this.timeout.toNanos(), TimeUnit.NANOSECONDS).join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw ex;
		}
	}

	void close() {
		this.closed = true;
	}

}
