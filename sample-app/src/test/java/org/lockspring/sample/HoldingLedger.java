package org.lockspring.sample;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The ledger with a place to stop at, between reading and writing.
 */
class HoldingLedger extends Ledger {

	private final Hold hold;

	HoldingLedger(JdbcClient jdbc, Hold hold) {
		super(jdbc);
		this.hold = hold;
	}

	@Override
	void store(String account, long newBalance) {
		this.hold.pass();
		super.store(account, newBalance);
	}

}
