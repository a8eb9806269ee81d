package org.lockspring.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease.Ownership;

/**
 * One session, with which ephemeral nodes live and die. Requests of one session are
 * carried out in the order they were made, and none after the session has ended: so a
 * node that was found to be ours can be deleted without taking that of another.
 */
final class ZooKeeperSession {

	private final ZooKeeper zooKeeper;

	private final Map<String, CompletableFuture<Ownership>> removals = new ConcurrentHashMap<>();

	/** When the latest request was sent that the leader has answered. */
	private volatile long contactAt = System.nanoTime() - Duration.ofDays(1).toNanos();

	ZooKeeperSession(ZooKeeper zooKeeper) {
		this.zooKeeper = zooKeeper;
	}

	boolean isOf(ZooKeeper other) {
		return this.zooKeeper.equals(other);
	}

	/**
	 * How long the servers keep the session of a client that is gone.
	 */
	Duration timeout() {
		return Duration.ofMillis(this.zooKeeper.getSessionTimeout());
	}

	/**
	 * Until when the session certainly lives. Two thirds of its time-out, after which the
	 * client itself gives a silent server up: a server tells the leader of its clients
	 * only twice in a tick, and a session has two ticks at least.
	 */
	long validUntil() {
		return this.contactAt + timeout().toNanos() / 3 * 2;
	}

	private synchronized void contact(long sentAt) {
		if (sentAt - this.contactAt > 0) {
			this.contactAt = sentAt;
		}
	}

	CompletableFuture<Stat> create(String path, String owner, List<ACL> acl) {
		long sentAt = System.nanoTime();
		CompletableFuture<Stat> answer = new CompletableFuture<>();
		this.zooKeeper.create(path, owner.getBytes(StandardCharsets.UTF_8), acl, CreateMode.EPHEMERAL,
				(rc, node, context, name, stat) -> {
					if (rc == 0) {
						contact(sentAt);
					}
					complete(answer, rc, path, stat);
				}, null);
		return answer;
	}

	/**
	 * Ask the leader, which a read does not.
	 */
	CompletableFuture<Void> sync() {
		long sentAt = System.nanoTime();
		CompletableFuture<Void> answer = new CompletableFuture<>();
		this.zooKeeper.sync(NodePaths.PARENT, (rc, path, context) -> {
			if (rc == 0) {
				contact(sentAt);
				answer.complete(null);
			}
			else {
				answer.completeExceptionally(KeeperException.create(Code.get(rc), path));
			}
		}, null);
		return answer;
	}

	/**
	 * Read a node.
	 * @return what is there; an entry without state if nothing is
	 */
	CompletableFuture<Entry> read(String path) {
		CompletableFuture<Entry> answer = new CompletableFuture<>();
		this.zooKeeper.getData(path, false, (rc, node, context, data, stat) -> {
			boolean absent = rc == Code.NONODE.intValue();
			complete(answer, absent ? 0 : rc, path, new Entry(text(data), absent ? null : stat));
		}, null);
		return answer;
	}

	private static String text(byte @Nullable [] data) {
		return (data != null) ? new String(data, StandardCharsets.UTF_8) : "";
	}

	/**
	 * Remove the node if it is of an owner. One after the other for each node: between
	 * two that have both found it to be ours, another may take its place.
	 */
	CompletableFuture<Ownership> remove(String path, String owner) {
		CompletableFuture<Ownership> removal = new CompletableFuture<>();
		CompletableFuture<Ownership> before = this.removals.put(path, removal);
		// Not inside the map: when a session has ended, ZooKeeper answers on any thread,
		// under a lock that every request needs
		CompletableFuture<?> start = (before != null) ? before.handle((ownership, ex) -> true)
				: CompletableFuture.completedFuture(true);
		CompletionStage<Ownership> answer = start.thenCompose((ended) -> removeNow(path, owner));
		answer.whenComplete((ownership, ex) -> {
			this.removals.remove(path, removal);
			if (ex != null) {
				removal.completeExceptionally(ex);
			}
			else {
				removal.complete(ownership);
			}
		});
		return removal.copy();
	}

	private CompletableFuture<Ownership> removeNow(String path, String owner) {
		return read(path).thenCompose((entry) -> {
			Ownership ownership = ownership(entry, owner);
			return (ownership == Ownership.HELD) ? delete(path) : CompletableFuture.completedFuture(ownership);
		});
	}

	private CompletableFuture<Ownership> delete(String path) {
		CompletableFuture<Ownership> answer = new CompletableFuture<>();
		this.zooKeeper.delete(path, -1, (rc, node, context) -> {
			boolean absent = rc == Code.NONODE.intValue();
			complete(answer, absent ? 0 : rc, path, absent ? Ownership.EXPIRED : Ownership.HELD);
		}, null);
		return answer;
	}

	/**
	 * Whose a node is. One of a session that has ended may still be there for a while: it
	 * is not ours, whatever it contains.
	 */
	Ownership ownership(Entry entry, String owner) {
		if (entry.stat() == null) {
			return Ownership.EXPIRED;
		}
		boolean ours = owner.equals(entry.owner()) && entry.stat().getEphemeralOwner() == this.zooKeeper.getSessionId();
		return ours ? Ownership.HELD : Ownership.TAKEN;
	}

	/**
	 * Watch a node.
	 * @return whether it is there
	 */
	CompletableFuture<Boolean> watch(String path, Watcher watcher) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		this.zooKeeper.exists(path, watcher, (rc, node, context, stat) -> {
			boolean absent = rc == Code.NONODE.intValue();
			complete(answer, absent ? 0 : rc, path, !absent);
		}, null);
		return answer;
	}

	void unwatch(String path, Watcher watcher) {
		this.zooKeeper.removeWatches(path, watcher, Watcher.WatcherType.Any, true, (rc, node, context) -> {
		}, null);
	}

	private static <T> void complete(CompletableFuture<T> answer, int rc, String path, T value) {
		if (rc == 0) {
			answer.complete(value);
		}
		else {
			answer.completeExceptionally(KeeperException.create(Code.get(rc), path));
		}
	}

	/**
	 * What a node contains.
	 *
	 * @param owner who put it
	 * @param stat {@code null} if there is none
	 */
	record Entry(String owner, @Nullable Stat stat) {

	}

}
