package org.lockspring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.lockspring.core.LockTemplate;

/**
 * A plain field that many threads raise. Only the lock keeps them apart: without it,
 * updates are lost and two threads are seen inside at once.
 */
final class SharedCounter {

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicInteger overlaps = new AtomicInteger();

	private int value;

	/**
	 * Let every thread raise the counter, each time under the lock. Two threads share a
	 * template, as in one process, which keeps them apart by itself; only the store keeps
	 * the others apart.
	 */
	void raise(Supplier<LockTemplate> processes, LockRequest request, int threads, int rounds) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> futures = new ArrayList<>();
			LockTemplate shared = processes.get();
			for (int i = 0; i < threads; i++) {
				LockTemplate template = shared;
				shared = (i % 2 == 1) ? processes.get() : shared;
				futures.add(executor.submit(() -> {
					for (int round = 0; round < rounds; round++) {
						template.execute(request, (lease) -> raise());
					}
				}));
			}
			for (Future<?> future : futures) {
				future.get(request.waitTime().plus(Duration.ofMinutes(1)).toMillis(), TimeUnit.MILLISECONDS);
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	private int raise() {
		if (this.inside.incrementAndGet() > 1) {
			this.overlaps.incrementAndGet();
		}
		int read = this.value;
		for (int i = 0; i < 10; i++) {
			Thread.yield();
		}
		this.value = read + 1;
		this.inside.decrementAndGet();
		return read;
	}

	int value() {
		return this.value;
	}

	int overlaps() {
		return this.overlaps.get();
	}

}
