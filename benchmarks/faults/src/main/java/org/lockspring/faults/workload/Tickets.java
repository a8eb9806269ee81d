package org.lockspring.faults.workload;

import java.util.List;
import java.util.Random;

import org.springframework.stereotype.Component;

/**
 * Draws tokens, and does nothing with them: each is a ticket. Two threads of each worker
 * draw from the same dispenser.
 */
@Component
public class Tickets implements Workload {

	@Override
	public String name() {
		return "tickets";
	}

	@Override
	public int threads() {
		return 2;
	}

	@Override
	public List<String> locks(int thread, Random random) {
		return List.of("tickets");
	}

	@Override
	public void run(List<String> keys, Holding holding, Step step) throws Exception {
		if (step.pace() == Pace.SLOW || step.random().nextInt(50) == 0) {
			step.pause();
		}
	}

}
