package org.lockspring.sample;

import org.lockspring.sample.Hold.Place;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The ledger with places to stop at.
 */
class HoldingLedger extends Ledger implements TransactionExecutionListener {

	private final Hold hold;

	HoldingLedger(JdbcClient jdbc, Hold hold) {
		super(jdbc);
		this.hold = hold;
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		this.hold.pass(Place.BEFORE_BEGIN);
	}

	@Override
	void store(String account, long newBalance) {
		this.hold.pass(Place.BEFORE_WRITE);
		super.store(account, newBalance);
	}

	@Override
	Transfer add(String from, String to, long amount, long fromToken, long toToken) {
		// Without an order: after all others
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				HoldingLedger.this.hold.pass(Place.BEFORE_COMMIT);
			}

		});
		return super.add(from, to, amount, fromToken, toToken);
	}

}
