package org.lockspring.core;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.lockspring.CurrentLock;
import org.lockspring.LockException;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.StormLog.Ask;
import org.lockspring.core.StormLog.Holder;

/** One thread of a storm, which takes locks in every way there is. */
final class StormWorker extends Thread {

	private static final Duration SHORT = Duration.ofMillis(60);

	/** An entry that nobody releases is seen. */
	private static final Duration LONG = Duration.ofSeconds(30);

	private final LockTemplate template;

	private final StormLog log;

	private final Random random;

	private final int acquisitions;

	StormWorker(LockTemplate template, StormLog log, Random random, int acquisitions) {
		super("storm-worker");
		this.template = template;
		this.log = log;
		this.random = random;
		this.acquisitions = acquisitions;
	}

	/** Called by another thread, at any instant. */
	void disturb() {
		this.log.count("interrupts");
		interrupt();
	}

	@Override
	public void run() {
		while (this.log.acquisitions() < this.acquisitions) {
			try {
				once();
			}
			catch (LockLostException ex) {
				this.log.count("lost");
			}
			catch (LockException ex) {
				this.log.count(ex.getClass().getSimpleName());
			}
			catch (InterruptedException ex) {
				this.log.count("interrupted bodies");
			}
			catch (RuntimeException | Error ex) {
				this.log.violations().add("Unexpected " + ex);
			}
			Thread.interrupted();
			if (!CurrentLock.leases().isEmpty()) {
				this.log.violations().add("A lease is left on the thread");
				return;
			}
		}
	}

	private void once() throws InterruptedException {
		int key = this.random.nextInt(this.log.size());
		boolean shortly = this.random.nextInt(4) == 0;
		LockRequest request = LockRequest.of(String.valueOf(key))
			.withMode(this.random.nextBoolean() ? LockMode.EFFICIENCY : LockMode.CORRECTNESS)
			.withTtl(shortly ? SHORT : LONG)
			.withWaitTime(Duration.ofMillis(this.random.nextInt(5) * 10L));
		Ask ask = this.log.asking(key);
		int way = this.random.nextInt(100);
		if (way < 10) {
			close(this.template.acquire(request), ask, way < 5);
			return;
		}
		this.template.execute(request, (lease) -> {
			Holder holder = this.log.entered(ask, lease);
			try {
				body(request, lease, way);
			}
			finally {
				this.log.leaving(holder);
			}
			return null;
		});
	}

	private void body(LockRequest request, LockLease lease, int way) throws InterruptedException {
		if (way < 30) {
			this.template.execute(request, (inner) -> {
				require(inner.fencingToken() == lease.fencingToken() || !lease.isValid(), "Another token inside");
				return null;
			});
		}
		else if (way < 32) {
			((ManagedLease) lease).lose(new IllegalStateException("A guard said so"));
			require(!lease.isValid(), "Valid after its loss");
			this.log.count("leases made lost");
		}
		else if (way < 33) {
			// Long enough for renewals of a short ttl
			TimeUnit.MILLISECONDS.sleep(this.random.nextInt(90));
		}
		else if (way < 35) {
			lease.extend(LONG);
		}
	}

	private void close(LockLease lease, Ask ask, boolean elsewhere) {
		this.log.leaving(this.log.entered(ask, lease));
		if (elsewhere) {
			this.log.count("closed by others");
			CompletableFuture<Void> closed = CompletableFuture.runAsync(lease::close);
			lease.close();
			closed.join();
		}
		lease.close();
		require(!lease.isValid(), "Valid after its release");
	}

	private void require(boolean condition, String what) {
		if (!condition) {
			this.log.violations().add(what);
		}
	}

}
