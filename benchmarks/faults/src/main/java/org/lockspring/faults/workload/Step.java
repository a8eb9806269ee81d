package org.lockspring.faults.workload;

import java.util.Random;

/**
 * How one body is to be run.
 *
 * @param operation the id of the operation
 * @param guard a guard in place of the library's, for databases
 * @param pace how long it takes
 * @param random the thread's
 */
public record Step(String operation, Guard guard, Pace pace, Random random) {

	void pause() throws InterruptedException {
		this.pace.pause(this.random);
	}

}
