package org.lockspring.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Txn;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;

/**
 * A lease, a key that is put if there is none, and is deleted if it is ours.
 */
final class EtcdByHand implements Contestant {

	private final Client client;

	private final AtomicLong owners = new AtomicLong();

	EtcdByHand(String endpoint) {
		this.client = Client.builder().endpoints(endpoint).build();
	}

	@Override
	public void locked(String key, Runnable body) {
		ByteSequence name = bytes(key);
		ByteSequence owner = bytes(Long.toString(this.owners.incrementAndGet()));
		long lease = this.client.getLeaseClient().grant(Contestants.TTL.toSeconds()).join().getID();
		TxnResponse put = change(name, 0, Op.put(name, owner, PutOption.builder().withLeaseId(lease).build()),
				Op.get(name, GetOption.DEFAULT));
		Contestant.require(put.isSucceeded(), "busy");
		long revision = put.getGetResponses().get(0).getKvs().get(0).getCreateRevision();
		body.run();
		Contestant.require(change(name, revision, Op.delete(name, DeleteOption.DEFAULT)).isSucceeded(), "lost");
		// The answer does not matter
		this.client.getLeaseClient().revoke(lease);
	}

	private TxnResponse change(ByteSequence name, long revision, Op... changes) {
		Txn txn = this.client.getKVClient().txn();
		return txn.If(new Cmp(name, Cmp.Op.EQUAL, CmpTarget.createRevision(revision))).Then(changes).commit().join();
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	@Override
	public String entry(String key) {
		return key;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
