package org.lockspring.faults.workload;

import java.util.List;
import java.util.Random;

import org.springframework.stereotype.Component;

/**
 * Transfers between four accounts in PostgreSQL, each under two locks.
 */
@Component
public class Transfers implements Workload {

	/** How many accounts there are. */
	public static final int ACCOUNTS = 4;

	private final Ledger ledger;

	/**
	 * Create a workload.
	 * @param ledger where the accounts are
	 */
	public Transfers(Ledger ledger) {
		this.ledger = ledger;
	}

	@Override
	public String name() {
		return "transfers";
	}

	@Override
	public List<String> locks(int thread, Random random) {
		int from = random.nextInt(ACCOUNTS);
		int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
		return List.of("account-" + from, "account-" + to);
	}

	@Override
	public void run(List<String> keys, Holding holding, Step step) throws Exception {
		this.ledger.transfer(keys, holding, step);
	}

	@Override
	public boolean isTransactional() {
		return true;
	}

}
