package org.lockspring.benchmarks;

import org.lockspring.LockMode;
import org.lockspring.annotation.DistributedLock;

/**
 * A bean as an application has it.
 */
class AnnotatedMethods {

	@DistributedLock(key = "#key")
	void efficiently(String key, Runnable body) {
		body.run();
	}

	@DistributedLock(key = "#key", mode = LockMode.CORRECTNESS)
	void correctly(String key, Runnable body) {
		body.run();
	}

}
