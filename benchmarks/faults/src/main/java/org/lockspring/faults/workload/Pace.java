package org.lockspring.faults.workload;

import java.util.Random;

/**
 * How long bodies take between what they read and what they write.
 */
public enum Pace {

	/** Mostly short, so that locks change hands often; now and then half a ttl. */
	QUICK {

		@Override
		int millis(Random random) {
			int of = random.nextInt(100);
			return (of < 60) ? random.nextInt(6) : (of < 95) ? random.nextInt(60) : random.nextInt(700);
		}

	},

	/** So long that a stalled holder comes back while the next one is at work. */
	SLOW {

		@Override
		int millis(Random random) {
			return 600 + random.nextInt(800);
		}

	};

	abstract int millis(Random random);

	/**
	 * Wait.
	 * @param random the worker's
	 * @throws InterruptedException if the body is interrupted
	 */
	public void pause(Random random) throws InterruptedException {
		Thread.sleep(millis(random));
	}

}
