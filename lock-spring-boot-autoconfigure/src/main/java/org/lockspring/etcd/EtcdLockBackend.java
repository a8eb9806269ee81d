package org.lockspring.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
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
 * Locks on etcd: one key for each lock, put by a transaction if it is absent, attached to
 * a lease of its own. The fencing token is the key's create revision, which consensus
 * makes rise with every acquisition. Leases count in whole seconds: a shorter time to
 * live is rounded up on the server, and kept as asked on our side.
 *
 * @since 0.1.0
 */
public final class EtcdLockBackend implements LockBackend, ReleaseSignals, RequestCheck, AutoCloseable {

	private static final Log logger = LogFactory.getLog(EtcdLockBackend.class);

	private static final int MOST_ROUNDED = 100;

	private final Client client;

	private final EtcdCalls calls;

	private final String endpoints;

	/** How many wait here for a lock of that name. */
	private final Map<String, Integer> awaited = new ConcurrentHashMap<>();

	/** What was asked and what was granted, where the one is not the other. */
	private final Set<List<Duration>> rounded = ConcurrentHashMap.newKeySet();

	/** The newest revision seen in an answer. */
	private final AtomicLong newest = new AtomicLong();

	private volatile String setback = "";

	/**
	 * Create a backend.
	 * @param client a client as {@link #clientBuilder} makes it; not closed by this
	 * backend
	 * @param timeout how long to wait for an answer
	 * @param endpoints where etcd is, for messages
	 */
	public EtcdLockBackend(Client client, Duration timeout, String endpoints) {
		this.client = client;
		this.calls = new EtcdCalls(client, timeout);
		this.endpoints = endpoints;
	}

	/**
	 * Return a builder of clients that suit locks: a call fails while there is no
	 * connection, instead of waiting for one, and ends after the time-out; a connection
	 * over which nothing comes back to a call is given up. An idle connection is left
	 * alone: etcd closes one that is pinged without a call.
	 * @param timeout how long a call may take
	 * @return a builder without endpoints
	 */
	public static ClientBuilder clientBuilder(Duration timeout) {
		return Client.builder()
			.waitForReady(false)
			.connectTimeout(timeout)
			.keepaliveTime(Duration.ofSeconds(10))
			.keepaliveTimeout(timeout)
			.keepaliveWithoutCalls(false)
			.retryDelay(50)
			.retryMaxDelay(500)
			.interceptor(new CallDeadlines(timeout));
	}

	@Override
	public String name() {
		return "etcd";
	}

	@Override
	public boolean supports(LockMode mode) {
		return true;
	}

	@Override
	public Acquisition tryAcquire(LockAttempt attempt) {
		ByteSequence key = bytes(attempt.name());
		ByteSequence owner = bytes(attempt.owner());
		long before = this.newest.get();
		long sentAt = System.nanoTime();
		LeaseGrantResponse grant = null;
		try {
			if (isBusy(attempt, key, owner)) {
				return new Acquisition.Busy(null);
			}
			grant = this.calls.grant(EtcdLease.seconds(attempt.ttl()));
			TxnResponse answer = this.calls.putIfAbsent(key, owner, grant.getID());
			if (!answer.isSucceeded()) {
				this.calls.revoke(grant.getID());
				return again(attempt, owner, EtcdCalls.entry(answer));
			}
			requireRise(attempt, before, answer.getHeader().getRevision());
			sayIfRounded(attempt.description(), attempt.ttl(), grant.getTTL());
			EtcdLease lease = lease(attempt, EtcdCalls.entry(answer)).grantedFor(sentAt, grant);
			return new Acquisition.Granted(lease);
		}
		catch (RuntimeException ex) {
			if (grant != null) {
				this.calls.abandon(grant.getID(), sentAt + Duration.ofSeconds(grant.getTTL()).toNanos());
			}
			throw (ex instanceof LockUnavailableException) ? ex : EtcdFailure.translate(ex,
					"Lock " + attempt.description() + " could not be acquired", attempt.name(), this.endpoints);
		}
	}

	/**
	 * Whoever waits asks often: reading is cheaper than a lease that is not needed.
	 */
	private boolean isBusy(LockAttempt attempt, ByteSequence key, ByteSequence owner) {
		KeyValue held = this.awaited.containsKey(attempt.name()) ? this.calls.get(key) : null;
		return held != null && !held.getValue().equals(owner);
	}

	/**
	 * There was an entry. If it is of the same owner, the request was repeated.
	 */
	private Acquisition again(LockAttempt attempt, ByteSequence owner, @Nullable KeyValue entry) {
		if (entry != null && entry.getValue().equals(owner)) {
			EtcdLease lease = lease(attempt, entry);
			if (lease.renew(attempt.ttl()) == Ownership.HELD) {
				return new Acquisition.Granted(lease);
			}
		}
		return new Acquisition.Busy(null);
	}

	private EtcdLease lease(LockAttempt attempt, @Nullable KeyValue entry) {
		if (entry == null) {
			throw new IllegalStateException("the transaction did not return what it put");
		}
		return new EtcdLease(this.calls, this.endpoints, attempt, entry);
	}

	/**
	 * A store that was restored or replaced would give tokens a second time.
	 */
	private void requireRise(LockAttempt attempt, long before, long now) {
		this.newest.accumulateAndGet(now, Math::max);
		if (now < before && attempt.mode() == LockMode.CORRECTNESS) {
			this.setback = "revision " + now + " came after " + before;
			throw new LockUnavailableException(
					("Lock %s was given back: etcd at %s has gone back in time, %s, so that its tokens repeat. Was it "
							+ "restored from a backup, or created anew? Restore it with a revision above all tokens, "
							+ "then start this application again")
						.formatted(attempt.description(), this.endpoints, this.setback),
					null, false);
		}
	}

	/**
	 * Warns of a ttl that is not in whole seconds. A server may grant even more, which
	 * the first use tells.
	 */
	@Override
	public void check(LockRequest request) {
		Duration ttl = request.ttl();
		if (ttl != null) {
			sayIfRounded(request.description(), ttl, EtcdLease.seconds(ttl));
		}
	}

	private void sayIfRounded(String lock, Duration ttl, long seconds) {
		Duration granted = Duration.ofSeconds(seconds);
		if (granted.compareTo(ttl) > 0 && this.rounded.size() < MOST_ROUNDED
				&& this.rounded.add(List.of(ttl, granted))) {
			logger.warn(
					("Lock %s has a ttl of %s, which etcd rounds up to %s: so long can a crashed holder block others. "
							+ "Said once for this ttl")
						.formatted(lock, ttl, granted));
		}
	}

	@Override
	public @Nullable Subscription subscribe(String name, Runnable listener) {
		EtcdWatch watch = new EtcdWatch(this.client, bytes(name), listener, () -> count(name, -1));
		count(name, 1);
		try {
			watch.open();
			return watch;
		}
		catch (RuntimeException ex) {
			logger.debug("Lock name " + name + " cannot be watched", ex);
			watch.close();
			return null;
		}
	}

	private void count(String name, int change) {
		this.awaited.merge(name, change, (count, more) -> (count + more > 0) ? count + more : null);
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	@Override
	public List<Assumption> assumptions(LockMode mode) {
		Assumption durable = Assumption
			.unchecked("A majority of the etcd members keeps on disk what it has acknowledged");
		if (mode == LockMode.EFFICIENCY) {
			return List.of(Assumption.unchecked("No holder stalls for longer than its ttl, else two run at once"),
					durable);
		}
		return List.of(Assumption.unchecked("Every write that matters goes to a resource that checks the token"),
				new Assumption("etcd's revision never falls: it is neither restored from a backup nor created anew",
						this.setback.isEmpty() ? Finding.UNCHECKED : Finding.VIOLATED, this.setback),
				durable);
	}

	/**
	 * Stop clearing up after requests whose outcome is not known.
	 */
	@Override
	public void close() {
		this.calls.close();
	}

}
