package org.lockspring.faults.workload;

import java.util.List;
import java.util.Random;

import org.springframework.stereotype.Component;

/**
 * Draws tokens, and does nothing with them: each is a ticket. Two threads of each worker
 * draw from one dispenser, and two from another.
 */
@Component
public class Tickets implements Workload {

	private static final int DISPENSERS = 2;

	@Override
	public String name() {
		return "tickets";
	}

	@Override
	public int threads() {
		return 2 * DISPENSERS;
	}

	@Override
	public List<String> locks(int thread, Random random) {
		return List.of("tickets-" + thread % DISPENSERS);
	}

	@Override
	public void run(List<String> keys, Holding holding, Step step) throws Exception {
		if (step.pace() == Pace.SLOW || step.random().nextInt(50) == 0) {
			step.pause();
		}
	}

}
