package org.lockspring;

import org.jspecify.annotations.Nullable;

/**
 * A backend that can tell a waiter of another process when a lock was released. A signal
 * may be missed and may be false: waiters ask again from time to time as well.
 *
 * @since 0.1.0
 */
public interface ReleaseSignals {

	/**
	 * Listen for releases of a lock.
	 * @param name the lock's full name
	 * @param listener called after a release, on any thread; must not block
	 * @return what ends the listening; releases from now on are signalled. {@code null}
	 * if the store cannot signal now
	 */
	@Nullable Subscription subscribe(String name, Runnable listener);

	/**
	 * One waiter's listening.
	 */
	interface Subscription extends AutoCloseable {

		/**
		 * End it.
		 */
		@Override
		void close();

	}

}
