package org.lockspring.zookeeper;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockUnavailableException;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The session that Curator keeps, its pulse while locks are held, and what is to be done
 * later. Nothing waits longer than the time-out.
 */
final class ZooKeeperCalls {

	private static final Duration SOON = Duration.ofMillis(200);

	private final CuratorFramework client;

	private final Duration timeout;

	private final ScheduledThreadPoolExecutor later;

	/** Those that are held now. */
	private final Set<ZooKeeperLease> leases = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean beating = new AtomicBoolean();

	private @Nullable ZooKeeperSession session;

	ZooKeeperCalls(CuratorFramework client, Duration timeout) {
		this.client = client;
		this.timeout = timeout;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-zookeeper-");
		threads.setDaemon(true);
		this.later = new ScheduledThreadPoolExecutor(1, threads, new ThreadPoolExecutor.DiscardPolicy());
		this.later.setRemoveOnCancelPolicy(true);
		this.later.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/**
	 * The session as it is now. Another one after the first has ended.
	 */
	synchronized ZooKeeperSession session() {
		ZooKeeper zooKeeper;
		try {
			zooKeeper = this.client.getZookeeperClient().getZooKeeper();
		}
		catch (Exception ex) {
			throw new CompletionException(ex);
		}
		ZooKeeperSession current = this.session;
		if (current == null || !current.isOf(zooKeeper)) {
			current = new ZooKeeperSession(zooKeeper);
			this.session = current;
		}
		return current;
	}

	<T> T await(CompletableFuture<T> answer) {
		return answer.copy().orTimeout(this.timeout.toNanos(), TimeUnit.NANOSECONDS).join();
	}

	/**
	 * Keep the session's pulse as long as any lock is held: renewals of a long ttl come
	 * too seldom to tell whether it lives.
	 */
	void hold(ZooKeeperLease lease, ZooKeeperSession from) {
		this.leases.add(lease);
		if (this.beating.compareAndSet(false, true)) {
			after(pulse(from), this::beat);
		}
	}

	void drop(ZooKeeperLease lease) {
		this.leases.remove(lease);
	}

	private static Duration pulse(ZooKeeperSession session) {
		return session.timeout().dividedBy(6);
	}

	private void beat() {
		Duration pause = SOON;
		try {
			this.leases.removeIf(ZooKeeperLease::isOver);
			if (this.leases.isEmpty()) {
				this.beating.set(false);
				if (this.leases.isEmpty() || !this.beating.compareAndSet(false, true)) {
					return;
				}
			}
			ZooKeeperSession current = session();
			CompletionStage<Void> answer = current.sync();
			answer.exceptionally((ex) -> null);
			pause = pulse(current);
		}
		catch (CompletionException ex) {
			// No session now: the clock goes on
		}
		after(pause, this::beat);
	}

	/**
	 * Remove a node of ours, and try until it is known to be gone: as long as the session
	 * lives, nothing else would remove it.
	 */
	void removeForSure(ZooKeeperSession from, String path, String owner) {
		CompletionStage<Ownership> answer = from.remove(path, owner);
		answer.whenComplete((ownership, ex) -> {
			if (ex != null && !isEnded(ex)) {
				after(SOON, () -> removeForSure(from, path, owner));
			}
		});
	}

	private static boolean isEnded(Throwable ex) {
		Throwable cause = (ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex;
		return cause instanceof KeeperException.SessionExpiredException
				|| cause instanceof KeeperException.AuthFailedException
				|| cause instanceof KeeperException.NoAuthException;
	}

	void after(Duration delay, Runnable task) {
		ScheduledFuture<?> unused = schedule(delay, task);
	}

	ScheduledFuture<?> schedule(Duration delay, Runnable task) {
		return this.later.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Return where the lock's node is, below the client's own namespace.
	 */
	String path(String name) {
		return ZKPaths.fixForNamespace(this.client.getNamespace(), NodePaths.of(name));
	}

	LockUnavailableException failure(Throwable ex, String what, String path) {
		return ZooKeeperFailure.translate(ex, what, path,
				this.client.getZookeeperClient().getCurrentConnectionString());
	}

	void close() {
		this.later.shutdownNow();
	}

}
