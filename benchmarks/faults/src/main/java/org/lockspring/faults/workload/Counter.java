package org.lockspring.faults.workload;

import java.util.List;
import java.util.Random;

import org.springframework.stereotype.Component;

/**
 * Four counters in PostgreSQL.
 */
@Component
public class Counter implements Workload {

	/** How many counters there are. */
	public static final int COUNTERS = 4;

	private final Ledger ledger;

	/**
	 * Create a workload.
	 * @param ledger where the counters are
	 */
	public Counter(Ledger ledger) {
		this.ledger = ledger;
	}

	@Override
	public String name() {
		return "counter";
	}

	@Override
	public int threads() {
		return COUNTERS;
	}

	@Override
	public List<String> locks(int thread, Random random) {
		return List.of("counter-" + thread);
	}

	@Override
	public void run(List<String> keys, Holding holding, Step step) throws Exception {
		this.ledger.increment(keys.get(0), holding, step);
	}

	@Override
	public boolean isTransactional() {
		return true;
	}

}
