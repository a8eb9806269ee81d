package org.lockspring.faults.workload;

import java.util.List;
import java.util.Random;

import org.springframework.stereotype.Component;

/**
 * A job that shall run once, wherever: its lock is kept for a while after it has ended.
 */
@Component
public class Job implements Workload {

	@Override
	public String name() {
		return "job";
	}

	@Override
	public List<String> locks(int thread, Random random) {
		return List.of("job");
	}

	@Override
	public void run(List<String> keys, Holding holding, Step step) throws Exception {
		step.pause();
	}

	@Override
	public boolean isOnce() {
		return true;
	}

}
