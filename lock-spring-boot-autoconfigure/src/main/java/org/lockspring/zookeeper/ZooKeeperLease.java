package org.lockspring.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.FencingToken;

/**
 * An ephemeral node of our own. It lives as long as the session, so this process itself
 * removes it when the time to live is over; valid as long as both certainly last.
 */
final class ZooKeeperLease implements BackendLease {

	private final ZooKeeperCalls calls;

	private final ZooKeeperSession session;

	private final LockAttempt attempt;

	private final String path;

	private final String owner;

	private final long czxid;

	private volatile long endsAt;

	private @Nullable ScheduledFuture<?> timer;

	/** Whether this process has begun to remove the node. */
	private boolean removed;

	ZooKeeperLease(ZooKeeperCalls calls, ZooKeeperSession session, LockAttempt attempt, String owner, Stat stat,
			long sentAt) {
		this.calls = calls;
		this.session = session;
		this.attempt = attempt;
		this.path = calls.path(attempt.name());
		this.owner = owner;
		this.czxid = stat.getCzxid();
		this.endsAt = sentAt + attempt.ttl().toNanos();
	}

	void begin() {
		this.calls.hold(this, this.session);
		removeAtTheEnd();
	}

	@Override
	public @Nullable FencingToken fencingToken() {
		return (this.attempt.mode() == LockMode.CORRECTNESS) ? new FencingToken(this.czxid, this.attempt.owner())
				: null;
	}

	@Override
	public long validUntil() {
		long end = this.endsAt;
		long sessionEnd = this.session.validUntil();
		return (sessionEnd - end < 0) ? sessionEnd : end;
	}

	boolean isOver() {
		return System.nanoTime() - this.endsAt > 0;
	}

	private synchronized void removeAtTheEnd() {
		this.timer = this.calls.schedule(Duration.ofNanos(this.endsAt - System.nanoTime()), this::atTheEnd);
	}

	private void atTheEnd() {
		synchronized (this) {
			if (this.removed) {
				return;
			}
			if (!isOver()) {
				removeAtTheEnd();
				return;
			}
			this.removed = true;
		}
		this.calls.removeForSure(this.session, this.path, this.owner);
	}

	@Override
	public Ownership renew(Duration ttl) {
		long sentAt = System.nanoTime();
		Ownership ownership = look("could not be extended");
		synchronized (this) {
			if (ownership != Ownership.HELD || this.removed) {
				return (ownership == Ownership.TAKEN) ? ownership : Ownership.EXPIRED;
			}
			boolean sooner = sentAt + ttl.toNanos() - this.endsAt < 0;
			this.endsAt = sentAt + ttl.toNanos();
			if (sooner) {
				cancel();
				removeAtTheEnd();
			}
		}
		this.calls.hold(this, this.session);
		return Ownership.HELD;
	}

	/**
	 * Ask the leader whose the node is. If our session has ended, the node of another may
	 * be there, which only another session can tell.
	 */
	private Ownership look(String what) {
		try {
			ZooKeeperSession current = this.calls.session();
			this.calls.await(current.sync());
			Ownership ownership = current.ownership(this.calls.await(current.read(this.path)), this.owner);
			boolean ended = current != this.session || isRemoved();
			return (ownership == Ownership.HELD && ended) ? Ownership.EXPIRED : ownership;
		}
		catch (RuntimeException ex) {
			throw this.calls.failure(ex, "Lock " + this.attempt.description() + " " + what, this.path);
		}
	}

	private synchronized boolean isRemoved() {
		return this.removed;
	}

	@Override
	public CompletionStage<Ownership> release() {
		this.calls.drop(this);
		try {
			return CompletableFuture.completedFuture(mayRemove()
					? this.calls.await(this.session.remove(this.path, this.owner)) : look("could not be released"));
		}
		catch (LockUnavailableException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		catch (RuntimeException ex) {
			this.calls.removeForSure(this.session, this.path, this.owner);
			return CompletableFuture.failedFuture(
					this.calls.failure(ex, "Lock " + this.attempt.description() + " could not be released", this.path));
		}
	}

	/**
	 * Whether the node is to be removed, and not yet: not after the session has ended.
	 */
	private synchronized boolean mayRemove() {
		boolean first = !this.removed;
		this.removed = true;
		cancel();
		return first && this.calls.session() == this.session;
	}

	private void cancel() {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
	}

}
