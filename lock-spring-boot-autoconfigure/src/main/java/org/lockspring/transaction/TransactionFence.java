package org.lockspring.transaction;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.CurrentLock;
import org.lockspring.LockLease;
import org.lockspring.core.LeaseParticipant;
import org.lockspring.core.ManagedLease;
import org.lockspring.fencing.FencingGuard;
import org.lockspring.fencing.FencingToken;
import org.lockspring.fencing.StaleFencingTokenException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Fences every transaction that runs under a lock with a fencing token, without any code
 * of the user.
 * <ol>
 * <li>When the lock was obtained, its token is claimed at every guard: what older holders
 * could still write is then written. A lock taken inside an open transaction is claimed
 * in it.</li>
 * <li>When a transaction begins that can write, the token is claimed in it, before its
 * first own statement. If that is refused, the transaction cannot commit.</li>
 * <li>Before it commits, the lease must still be valid.</li>
 * </ol>
 * A transaction manager without synchronization is not fenced, nor is one whose data no
 * guard watches: both are reported once. A lease that is bound to a thread while a
 * transaction is open there is fenced from the next transaction on.
 *
 * @since 0.1.0
 */
public final class TransactionFence implements LeaseParticipant, TransactionExecutionListener {

	private static final Log logger = LogFactory.getLog(TransactionFence.class);

	private final Supplier<? extends List<FencingGuard>> guards;

	private final boolean claimOnAcquire;

	private final OncePerName unguarded = new OncePerName();

	/**
	 * Create a fence.
	 * @param guards the guards, asked for at the first lease with a token
	 * @param claimOnAcquire whether a lease claims as soon as it was obtained; without
	 * it, what a body reads before its first transaction can be overtaken by a late write
	 * of an older holder
	 */
	public TransactionFence(Supplier<? extends List<FencingGuard>> guards, boolean claimOnAcquire) {
		this.guards = guards;
		this.claimOnAcquire = claimOnAcquire;
	}

	/**
	 * {@inheritDoc}
	 * @throws StaleFencingTokenException if a guard has seen a newer token
	 */
	@Override
	public void acquired(ManagedLease lease) {
		FencingToken token = lease.fencingToken();
		if (token == null) {
			return;
		}
		try {
			if (CurrentTransaction.isCompleting()) {
				CurrentTransaction.runOutside(() -> claimAhead(lease, token));
			}
			else {
				claimAhead(lease, token);
				claimInOpenTransaction(lease, token);
			}
		}
		catch (StaleFencingTokenException ex) {
			logger.warn(("The new lock '%s' was refused: %s. Either this process stalled until another took the lock, "
					+ "or the store has lost its counter. If it repeats, delete what the guard remembers of this lock")
				.formatted(lease.key(), ex.getMessage()));
			throw ex;
		}
	}

	private void claimAhead(ManagedLease lease, FencingToken token) {
		if (this.claimOnAcquire) {
			for (FencingGuard guard : this.guards.get()) {
				if (!guard.joinsCurrentTransaction()) {
					guard.claim(lease.name(), token);
				}
			}
		}
	}

	private void claimInOpenTransaction(ManagedLease lease, FencingToken token) {
		if (!CurrentTransaction.isOpen() || TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			return;
		}
		FencedLease fenced = new FencedLease(lease, token);
		try {
			claimAtJoining(fenced);
		}
		catch (RuntimeException ex) {
			fenced.forget();
			throw ex;
		}
		register(fenced, lease);
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure != null || !(transaction instanceof TransactionStatus) || !transaction.isNewTransaction()
				|| transaction.isReadOnly()) {
			return;
		}
		leasesWithToken().forEach((token, lease) -> {
			FencedLease fenced = new FencedLease(lease, token);
			try {
				claimAtJoining(fenced);
			}
			catch (RuntimeException ex) {
				// Thrown from here, it would leave the transaction open on the thread
				if (!(ex instanceof StaleFencingTokenException)) {
					logger.warn("Transaction '%s' could not be fenced by lock '%s' and will not commit"
						.formatted(transaction.getTransactionName(), lease.key()), ex);
				}
				fenced.refuse(ex);
			}
			register(fenced, lease);
		});
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		if (transaction instanceof TransactionStatus && transaction.isNewTransaction()) {
			CurrentTransaction.markCompleting();
		}
	}

	/**
	 * Return the leases of this call chain in the order in which every caller claims
	 * them, each once.
	 */
	private static Map<FencingToken, ManagedLease> leasesWithToken() {
		List<LockLease> leases = CurrentLock.leases();
		if (leases.isEmpty()) {
			return Map.of();
		}
		Map<FencingToken, ManagedLease> found = new LinkedHashMap<>();
		List<LockLease> sorted = new ArrayList<>(leases);
		sorted.sort(Comparator.comparing(LockLease::name));
		for (LockLease lease : sorted) {
			FencingToken token = lease.fencingToken();
			if (lease instanceof ManagedLease managed && token != null) {
				found.putIfAbsent(token, managed);
			}
		}
		return found;
	}

	private void claimAtJoining(FencedLease fenced) {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (FencingGuard guard : this.guards.get()) {
				if (guard.joinsCurrentTransaction()) {
					fenced.claim(guard);
				}
			}
		}
	}

	private void register(FencedLease fenced, ManagedLease lease) {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(fenced);
		}
		String transaction = String.valueOf(TransactionSynchronizationManager.getCurrentTransactionName());
		if (!fenced.isGuarded() && !fenced.isRefused() && this.unguarded.isFirst(transaction)) {
			logger.warn(("Transaction '%s' runs under lock '%s', but no fencing guard watches its data: a holder that "
					+ "stalled can still write there. Name its data source in lock.fencing.jdbc.data-source, or "
					+ "declare a FencingGuard for it")
				.formatted(transaction, lease.key()));
		}
	}

}
