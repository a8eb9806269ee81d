package org.lockspring.etcd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.ReleaseSignals.Subscription;

/**
 * Watches one key for its deletion. The client resumes a watch whose connection broke;
 * one that the server ended (compaction, no leader, a stream that ends without a word) is
 * opened again.
 */
final class EtcdWatch implements Watch.Listener, Subscription {

	private static final Log logger = LogFactory.getLog(EtcdLockBackend.class);

	private static final WatchOption DELETIONS = WatchOption.builder()
		.withNoPut(true)
		.withCreateNotify(true)
		.withRequireLeader(true)
		.build();

	private static final Executor later = CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);

	private final Client client;

	private final ByteSequence key;

	private final Runnable listener;

	private final Runnable onClose;

	private final AtomicBoolean reopening = new AtomicBoolean();

	private Watch.@Nullable Watcher watcher;

	private volatile boolean closed;

	EtcdWatch(Client client, ByteSequence key, Runnable listener, Runnable onClose) {
		this.client = client;
		this.key = key;
		this.listener = listener;
		this.onClose = onClose;
	}

	synchronized void open() {
		if (!this.closed) {
			this.watcher = this.client.getWatchClient().watch(this.key, DELETIONS, this);
		}
	}

	/**
	 * Also called when the watch begins: the key may have gone before.
	 */
	@Override
	public void onNext(WatchResponse response) {
		this.listener.run();
	}

	@Override
	public void onError(Throwable ex) {
		logger.debug("The watch of a lock was interrupted", ex);
	}

	/** Called under a lock of the client, so it must not wait for one of ours. */
	@Override
	public void onCompleted() {
		if (!this.closed && this.reopening.compareAndSet(false, true)) {
			later.execute(this::reopen);
		}
	}

	private void reopen() {
		try {
			closeWatcher();
			this.reopening.set(false);
			open();
		}
		catch (RuntimeException ex) {
			logger.debug("The watch of a lock could not be opened again", ex);
		}
	}

	private synchronized void closeWatcher() {
		if (this.watcher != null) {
			this.watcher.close();
			this.watcher = null;
		}
	}

	@Override
	public void close() {
		this.closed = true;
		closeWatcher();
		this.onClose.run();
	}

}
