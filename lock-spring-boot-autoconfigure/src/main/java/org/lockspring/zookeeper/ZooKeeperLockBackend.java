package org.lockspring.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.lockspring.Acquisition;
import org.lockspring.Assumption;
import org.lockspring.Assumption.Finding;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.ReleaseSignals;
import org.lockspring.RequestCheck;

/**
 * Locks on ZooKeeper: one ephemeral node for each lock. The fencing token is the node's
 * {@code czxid}, which consensus makes rise with every acquisition. A living process ends
 * a lock when its time to live is over; a crashed one blocks others until its session has
 * ended, whatever the time to live.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockBackend implements LockBackend, ReleaseSignals, RequestCheck, AutoCloseable {

	private static final Log logger = LogFactory.getLog(ZooKeeperLockBackend.class);

	private static final int MOST_SAID = 100;

	private final CuratorFramework client;

	private final ZooKeeperCalls calls;

	/** What was asked and the session time-out, where that is longer. */
	private final Set<List<Duration>> said = ConcurrentHashMap.newKeySet();

	/** The newest czxid seen. */
	private final AtomicLong newest = new AtomicLong();

	private volatile @Nullable List<ACL> acl;

	private volatile String setback = "";

	/**
	 * Create a backend.
	 * @param client a started client; not closed by this backend
	 * @param timeout how long to wait for an answer
	 */
	public ZooKeeperLockBackend(CuratorFramework client, Duration timeout) {
		this.client = client;
		this.calls = new ZooKeeperCalls(client, timeout);
	}

	@Override
	public String name() {
		return "zookeeper";
	}

	@Override
	public boolean supports(LockMode mode) {
		return true;
	}

	@Override
	public Acquisition tryAcquire(LockAttempt attempt) {
		String path = this.calls.path(attempt.name());
		String owner = attempt.owner();
		long before = this.newest.get();
		long sentAt = System.nanoTime();
		ZooKeeperSession session = null;
		try {
			session = this.calls.session();
			Stat stat = create(session, path, owner);
			if (stat == null) {
				return again(session, attempt, path, owner, sentAt);
			}
			requireRise(attempt, before, stat.getCzxid());
			sayIfLonger(attempt.description(), attempt.ttl(), session);
			return granted(session, attempt, owner, stat, sentAt);
		}
		catch (RuntimeException ex) {
			if (session != null) {
				this.calls.removeForSure(session, path, owner);
			}
			throw (ex instanceof LockUnavailableException) ? ex
					: this.calls.failure(ex, "Lock " + attempt.description() + " could not be acquired", path);
		}
	}

	private Acquisition granted(ZooKeeperSession session, LockAttempt attempt, String owner, Stat stat, long sentAt) {
		ZooKeeperLease lease = new ZooKeeperLease(this.calls, session, attempt, owner, stat, sentAt);
		lease.begin();
		return new Acquisition.Granted(lease);
	}

	private @Nullable Stat create(ZooKeeperSession session, String path, String owner) {
		try {
			return this.calls.await(session.create(path, owner, acl()));
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof KeeperException.NodeExistsException) {
				return null;
			}
			if (ex.getCause() instanceof KeeperException.NoNodeException) {
				this.acl = null;
				return this.calls.await(session.create(path, owner, acl()));
			}
			throw ex;
		}
	}

	/**
	 * There was a node. If it is of the same owner, the request was repeated.
	 */
	private Acquisition again(ZooKeeperSession session, LockAttempt attempt, String path, String owner, long sentAt) {
		ZooKeeperSession.Entry entry = this.calls.await(session.read(path));
		if (entry.stat() != null && session.ownership(entry, owner) == Ownership.HELD) {
			this.calls.await(session.sync());
			return granted(session, attempt, owner, entry.stat(), sentAt);
		}
		return new Acquisition.Busy(null);
	}

	/**
	 * Locks are as open as their parent, which Curator makes as its client is configured.
	 */
	private List<ACL> acl() {
		List<ACL> known = this.acl;
		if (known == null) {
			try {
				if (this.client.checkExists().forPath(NodePaths.PARENT) == null) {
					this.client.create().orSetData().creatingParentsIfNeeded().forPath(NodePaths.PARENT, new byte[0]);
				}
				known = this.client.getACL().forPath(NodePaths.PARENT);
			}
			catch (Exception ex) {
				throw new CompletionException(ex);
			}
			this.acl = known;
		}
		return known;
	}

	/**
	 * A store that was restored or replaced would give tokens a second time.
	 */
	private void requireRise(LockAttempt attempt, long before, long now) {
		this.newest.accumulateAndGet(now, Math::max);
		if (now < before && attempt.mode() == LockMode.CORRECTNESS) {
			this.setback = "transaction " + now + " came after " + before;
			throw new LockUnavailableException(
					("Lock %s was given back: ZooKeeper has gone back in time, %s, so that its tokens repeat. Was its "
							+ "data lost or restored from a backup? Then the tokens that guards remember have to be "
							+ "reset, and this application started again")
						.formatted(attempt.description(), this.setback),
					null, false);
		}
	}

	/**
	 * Warns of a ttl that is shorter than the session time-out, as soon as the servers
	 * have granted one; if they are away, at the first use.
	 */
	@Override
	public void check(LockRequest request) {
		Duration ttl = request.ttl();
		if (ttl != null) {
			try {
				ZooKeeperSession session = this.calls.session();
				CompletionStage<Void> answer = session.sync();
				answer.thenRun(() -> sayIfLonger(request.description(), ttl, session));
			}
			catch (CompletionException ex) {
				logger.debug("The session time-out is not known yet", ex);
			}
		}
	}

	private void sayIfLonger(String lock, Duration ttl, ZooKeeperSession session) {
		Duration timeout = session.timeout();
		if (timeout.compareTo(ttl) > 0 && this.said.size() < MOST_SAID && this.said.add(List.of(ttl, timeout))) {
			logger.warn(("Lock %s has a ttl of %s, but if this process crashes, ZooKeeper keeps it for the session "
					+ "time-out of %s (lock.zookeeper.session-timeout). Said once for this ttl")
				.formatted(lock, ttl, timeout));
		}
	}

	@Override
	public @Nullable Subscription subscribe(String name, Runnable listener) {
		NodeWatch watch = new NodeWatch(this.calls, this.calls.path(name), listener);
		watch.open();
		return watch;
	}

	@Override
	public List<Assumption> assumptions(LockMode mode) {
		Assumption durable = Assumption
			.unchecked("A majority of the ZooKeeper servers keeps on disk what it has acknowledged");
		if (mode == LockMode.EFFICIENCY) {
			return List.of(Assumption.unchecked("No holder stalls for longer than its session, else two run at once"),
					durable);
		}
		return List.of(Assumption.unchecked("Every write that matters goes to a resource that checks the token"),
				new Assumption("ZooKeeper's transaction ids never fall: its data is neither lost nor restored",
						this.setback.isEmpty() ? Finding.UNCHECKED : Finding.VIOLATED, this.setback),
				durable);
	}

	/**
	 * Stop clearing up. Nodes that are left end with the session.
	 */
	@Override
	public void close() {
		this.calls.close();
	}

}
