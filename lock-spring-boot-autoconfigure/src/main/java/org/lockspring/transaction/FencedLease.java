package org.lockspring.transaction;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockLostException;
import org.lockspring.core.ManagedLease;
import org.lockspring.fencing.FencingGuard;
import org.lockspring.fencing.FencingToken;
import org.lockspring.fencing.StaleFencingTokenException;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * One lease in one transaction, from the claim to the end of the transaction.
 */
final class FencedLease implements TransactionSynchronization {

	private final ManagedLease lease;

	private final FencingToken token;

	private final List<Claim> claims = new ArrayList<>();

	private boolean guarded;

	private @Nullable RuntimeException refusal;

	FencedLease(ManagedLease lease, FencingToken token) {
		this.lease = lease;
		this.token = token;
	}

	/**
	 * Claim in this transaction, unless an outer one of this thread has claimed for the
	 * same lease: it holds the row until after this one has ended, and would wait for
	 * itself.
	 */
	void claim(FencingGuard guard) {
		Claim claim = new Claim(guard, this.lease.name(), this.token);
		if (TransactionSynchronizationManager.getResource(claim) instanceof FencedLease outer) {
			this.refusal = (this.refusal != null) ? this.refusal : outer.refusal;
			this.guarded = true;
			return;
		}
		try {
			guard.claim(this.lease.name(), this.token);
		}
		catch (StaleFencingTokenException ex) {
			bind(claim);
			throw ex;
		}
		bind(claim);
		this.guarded = true;
	}

	private void bind(Claim claim) {
		// Not suspended together with the transaction: an inner one has to find it
		TransactionSynchronizationManager.bindResource(claim, this);
		this.claims.add(claim);
	}

	/**
	 * See to it that the transaction does not commit.
	 */
	void refuse(RuntimeException cause) {
		this.refusal = cause;
		if (cause instanceof StaleFencingTokenException) {
			this.lease.lose(cause);
		}
	}

	boolean isGuarded() {
		return this.guarded;
	}

	boolean isRefused() {
		return this.refusal != null;
	}

	/**
	 * Forget the claims.
	 */
	void forget() {
		this.claims.forEach(TransactionSynchronizationManager::unbindResourceIfPossible);
		this.claims.clear();
	}

	@Override
	public int getOrder() {
		// Before the lock is released
		return Ordered.LOWEST_PRECEDENCE - 1;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.refusal != null) {
			throw this.refusal;
		}
		if (!this.lease.isValid()) {
			throw new LockLostException(
					"Lock '%s' was lost or closed before the transaction committed; it is rolled back"
						.formatted(this.lease.key()));
		}
	}

	@Override
	public void afterCompletion(int status) {
		forget();
		if (status == STATUS_COMMITTED) {
			if (this.guarded) {
				this.lease.vouch();
			}
			else {
				this.lease.retractVouch();
			}
		}
	}

	private record Claim(FencingGuard guard, String resource, FencingToken token) {

	}

}
