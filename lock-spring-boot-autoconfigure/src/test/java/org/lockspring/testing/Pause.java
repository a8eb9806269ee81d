package org.lockspring.testing;

/**
 * The pause between two looks at a condition.
 */
final class Pause {

	private Pause() {
	}

	static void shortly() {
		try {
			Thread.sleep(5);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
