package org.lockspring.transaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.core.LeaseParticipant;
import org.lockspring.core.ManagedLease;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps a lock that was taken inside an open transaction until that transaction has
 * completed: others must not see the lock free and the data as before. Also if the lease
 * is closed while that transaction is suspended, or by another thread.
 *
 * @since 0.1.0
 */
public final class DeferredRelease implements LeaseParticipant {

	private static final Log logger = LogFactory.getLog(DeferredRelease.class);

	private final Map<ManagedLease, Inside> inside = new ConcurrentHashMap<>();

	private final OncePerName warned = new OncePerName();

	@Override
	public void acquired(ManagedLease lease) {
		if (CurrentTransaction.isOpen()) {
			register(lease);
		}
	}

	@Override
	public boolean keep(ManagedLease lease, Runnable release) {
		Inside found = this.inside.get(lease);
		if (found == null && CurrentTransaction.isOpen()) {
			found = register(lease);
		}
		if (found == null || !found.keep(release)) {
			return false;
		}
		if (this.warned.isFirst(found.transaction)) {
			logger.warn(("Lock '%s' ends inside the open transaction '%s' and is kept until that completes. "
					+ "Take the lock outside the transaction")
				.formatted(lease.key(), found.transaction));
		}
		return true;
	}

	@Override
	public Collection<ManagedLease> kept() {
		if (this.inside.isEmpty()) {
			return List.of();
		}
		List<ManagedLease> kept = new ArrayList<>();
		this.inside.forEach((lease, found) -> {
			if (found.thread == Thread.currentThread() && found.isKept()) {
				kept.add(lease);
			}
		});
		return kept;
	}

	private Inside register(ManagedLease lease) {
		Inside registered = new Inside(lease);
		this.inside.put(lease, registered);
		TransactionSynchronizationManager.registerSynchronization(registered);
		return registered;
	}

	/**
	 * One lease inside one transaction.
	 */
	private final class Inside implements TransactionSynchronization {

		private final ManagedLease lease;

		private final Thread thread = Thread.currentThread();

		private final String transaction = String
			.valueOf(TransactionSynchronizationManager.getCurrentTransactionName());

		private boolean completed;

		private @Nullable Runnable release;

		Inside(ManagedLease lease) {
			this.lease = lease;
		}

		synchronized boolean keep(Runnable release) {
			if (this.completed) {
				return false;
			}
			this.release = release;
			return true;
		}

		synchronized boolean isKept() {
			return this.release != null;
		}

		private synchronized @Nullable Runnable complete() {
			this.completed = true;
			return this.release;
		}

		@Override
		public void afterCompletion(int status) {
			DeferredRelease.this.inside.remove(this.lease, this);
			Runnable kept = complete();
			if (kept != null) {
				kept.run();
			}
		}

	}

}
