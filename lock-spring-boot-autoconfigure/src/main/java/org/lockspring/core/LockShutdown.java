package org.lockspring.core;

import java.time.Duration;

import org.springframework.context.SmartLifecycle;

/**
 * Ends the leases of a template before the connections that they need are closed: grants
 * no more, then waits for the callers that ask for a lock already (a subscription that
 * stands behind another is refused) and for the bodies that are running, as long as the
 * phase may take ({@code spring.lifecycle.timeout-per-shutdown-phase}). Later than web
 * servers and task executors, which bring the bodies; earlier than connection factories.
 *
 * @since 0.1.0
 */
public final class LockShutdown implements SmartLifecycle {

	/**
	 * Below web servers and executors, above connection factories, which have phase 0.
	 */
	public static final int PHASE = Integer.MAX_VALUE / 4;

	private static final Duration PAUSE = Duration.ofMillis(10);

	private final LockTemplate template;

	private volatile boolean running;

	/**
	 * Create the shutdown of a template.
	 * @param template whose leases to wait for
	 */
	public LockShutdown(LockTemplate template) {
		this.template = template;
	}

	@Override
	public void start() {
		this.template.grant(true);
		this.running = true;
	}

	@Override
	public void stop(Runnable callback) {
		this.template.grant(false);
		this.running = false;
		Thread waiting = new Thread(() -> {
			awaitBodies();
			callback.run();
		}, "lock-shutdown");
		waiting.setDaemon(true);
		waiting.start();
	}

	private void awaitBodies() {
		try {
			while (!this.template.isIdle() && !this.running) {
				Thread.sleep(PAUSE.toMillis());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void stop() {
		this.template.grant(false);
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
