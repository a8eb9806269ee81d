package org.lockspring.core;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.LockLostException;

/**
 * Who wants to hear of the loss of one lease. Each hears of it once, also who asks late.
 */
final class LossListeners {

	private static final Log logger = LogFactory.getLog(LockTemplate.class);

	private final List<Consumer<LockLostException>> listeners = new ArrayList<>(0);

	private @Nullable LockLostException loss;

	/**
	 * Listen.
	 * @param listener called on the thread that notices the loss; must not block
	 */
	void add(Consumer<LockLostException> listener) {
		LockLostException known;
		synchronized (this) {
			known = this.loss;
			if (known == null) {
				this.listeners.add(listener);
			}
		}
		if (known != null) {
			listener.accept(known);
		}
	}

	synchronized void remove(Consumer<LockLostException> listener) {
		this.listeners.remove(listener);
	}

	void tell(LockLostException lost) {
		List<Consumer<LockLostException>> told;
		synchronized (this) {
			this.loss = lost;
			told = List.copyOf(this.listeners);
			this.listeners.clear();
		}
		for (Consumer<LockLostException> listener : told) {
			try {
				listener.accept(lost);
			}
			catch (RuntimeException | Error ex) {
				logger.warn("A listener failed: " + lost.getMessage(), ex);
			}
		}
	}

}
