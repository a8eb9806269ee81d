package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * One of several programs whose threads all want one lock. They count while all of them
 * compete: in a window of the monotonic clock, which is one clock on one machine.
 */
final class FairnessWorker {

	static final String READY = "test:ready";

	static final String WINDOW = "test:window";

	static final String INSIDE = "test:inside";

	static final String OVERLAPS = "test:overlaps";

	static final String COUNTS = "test:counts";

	private static final int THREADS = 8;

	private static final long MARGIN = Duration.ofMillis(500).toNanos();

	private final StringRedisTemplate redis;

	private final LockTemplate template;

	private final LockRequest request;

	private final AtomicLong count = new AtomicLong();

	private volatile long start = Long.MAX_VALUE;

	private volatile long end = Long.MAX_VALUE;

	private FairnessWorker(RedisDriver.Process process, LockMode mode) {
		this.redis = new StringRedisTemplate(process.connections());
		this.template = new LockTemplate(process.backend(), new LockSettings("app"));
		this.request = LockRequest.of("k").withMode(mode).withWaitTime(Duration.ofMinutes(2));
	}

	public static void main(String[] args) throws InterruptedException {
		try (RedisDriver.Process process = RedisDriver.LETTUCE.process(Integer.parseInt(args[0]))) {
			new FairnessWorker(process, LockMode.valueOf(args[1])).run();
		}
	}

	private void run() throws InterruptedException {
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			threads.add(new Thread(this::compete));
		}
		threads.forEach(Thread::start);
		this.redis.opsForValue().increment(READY);
		String window = null;
		while (window == null) {
			Thread.sleep(10);
			window = this.redis.opsForValue().get(WINDOW);
		}
		this.start = Long.parseLong(window.split(" ")[0]);
		this.end = Long.parseLong(window.split(" ")[1]);
		for (Thread thread : threads) {
			thread.join();
		}
		this.template.close();
		this.redis.opsForList().rightPush(COUNTS, this.count.toString());
	}

	/** Goes on after the window, so that nobody is alone before it ends. */
	private void compete() {
		while (System.nanoTime() - this.end < MARGIN) {
			this.template.execute(this.request, (lease) -> {
				Long inside = this.redis.opsForValue().increment(INSIDE);
				if (inside == null || inside != 1) {
					this.redis.opsForValue().increment(OVERLAPS);
				}
				long now = System.nanoTime();
				if (now - this.start >= 0 && now - this.end < 0) {
					this.count.incrementAndGet();
				}
				return this.redis.opsForValue().decrement(INSIDE);
			});
		}
	}

}
