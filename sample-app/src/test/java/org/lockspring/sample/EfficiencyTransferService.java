package org.lockspring.sample;

import org.lockspring.LockMode;
import org.lockspring.annotation.DistributedLock;

import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The same transfers with the wrong mode: no token, and so no guard.
 */
class EfficiencyTransferService extends TransferService {

	EfficiencyTransferService(Ledger ledger, TransactionTemplate transaction) {
		super(ledger, transaction);
	}

	@Override
	@DistributedLock(key = BOTH_ACCOUNTS, mode = LockMode.EFFICIENCY)
	@Transactional
	public Transfer transfer(String from, String to, long amount) {
		return super.transfer(from, to, amount);
	}

	@Override
	long tokenOf(String account) {
		return 0;
	}

}
