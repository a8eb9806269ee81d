package org.lockspring.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;
import org.lockspring.ReleaseSignals.Subscription;

/**
 * Watches one node until it goes, again and again. The client takes a watch along to
 * another server; with another session it has to be set again.
 */
final class NodeWatch implements Watcher, Subscription {

	private static final Duration PAUSE = Duration.ofMillis(200);

	private final ZooKeeperCalls calls;

	private final String path;

	private final Runnable listener;

	private volatile @Nullable ZooKeeperSession session;

	private volatile boolean closed;

	NodeWatch(ZooKeeperCalls calls, String path, Runnable listener) {
		this.calls = calls;
		this.path = path;
		this.listener = listener;
	}

	void open() {
		if (this.closed) {
			return;
		}
		try {
			ZooKeeperSession current = this.calls.session();
			this.session = current;
			CompletionStage<Boolean> there = current.watch(this.path, this);
			there.whenComplete((found, ex) -> {
				if (ex != null) {
					this.calls.after(PAUSE, this::open);
				}
				else if (!found) {
					this.listener.run();
				}
			});
		}
		catch (CompletionException ex) {
			this.calls.after(PAUSE, this::open);
		}
	}

	@Override
	public void process(WatchedEvent event) {
		if (this.closed) {
			return;
		}
		if (event.getType() != Event.EventType.None) {
			this.listener.run();
			// Not on the client's own thread, which a new connection would wait for
			this.calls.after(Duration.ZERO, this::open);
		}
		else if (event.getState() == Event.KeeperState.Expired || event.getState() == Event.KeeperState.Closed) {
			this.calls.after(PAUSE, this::open);
		}
	}

	@Override
	public void close() {
		this.closed = true;
		ZooKeeperSession current = this.session;
		if (current != null) {
			current.unwatch(this.path, this);
		}
	}

}
