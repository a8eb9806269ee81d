package org.lockspring.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.lockspring.LockUnavailableException;
import org.lockspring.annotation.DistributedLock;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;

/**
 * An application that is ended while it works. What it does is its first argument; it
 * prints how far it is.
 */
final class ShutdownProgram {

	private ShutdownProgram() {
	}

	public static void main(String[] args) throws InterruptedException {
		SpringApplication application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.build();
		CountDownLatch closing = new CountDownLatch(1);
		Thread main = Thread.currentThread();
		application.addListeners((ApplicationListener<ContextClosedEvent>) (event) -> {
			closing.countDown();
			if (args[0].equals("interrupted")) {
				main.interrupt();
			}
		});
		SpringApplication.getShutdownHandlers().add(() -> System.out.println("THREADS " + lockThreadsThatStay()));
		ConfigurableApplicationContext context = application.run(args);
		Jobs jobs = context.getBean(Jobs.class);
		switch (args[0]) {
			case "body" -> jobs.threeSeconds();
			case "interrupted" -> jobs.hour();
			case "many" -> {
				// Classes are loaded then
				jobs.brief();
				many(jobs, closing);
			}
			case "calls" -> calls(jobs);
			default -> throw new IllegalArgumentException(args[0]);
		}
	}

	/** Whoever was told to end needs a processor to do so. */
	private static List<String> lockThreadsThatStay() {
		long start = System.nanoTime();
		List<String> threads = lockThreads();
		while (!threads.isEmpty() && System.nanoTime() - start < Duration.ofSeconds(5).toNanos()) {
			Thread.yield();
			threads = lockThreads();
		}
		return threads;
	}

	private static List<String> lockThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith("lock-renewal") || name.startsWith("lock-watch"))
			.toList();
	}

	private static void many(Jobs jobs, CountDownLatch closing) {
		CountDownLatch inside = new CountDownLatch(20);
		for (int i = 0; i < 20; i++) {
			int number = i;
			new Thread(() -> jobs.untilClosing(number, inside, closing)).start();
		}
	}

	private static void calls(Jobs jobs) throws InterruptedException {
		int refused = 0;
		while (refused < 50) {
			int bodies = jobs.bodies();
			try {
				jobs.brief();
				if (bodies == 0) {
					System.out.println("IN BODY");
				}
			}
			catch (LockUnavailableException ex) {
				refused++;
				System.out.println("REFUSED " + (jobs.bodies() - bodies) + " " + ex.getMessage());
				Thread.sleep(5);
			}
			catch (RuntimeException ex) {
				System.out.println("UNEXPECTED " + ex);
			}
		}
		System.out.println("CALLS ENDED");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, LifecycleAutoConfiguration.class,
			DataRedisAutoConfiguration.class, LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class })
	@Import(Jobs.class)
	static class Application {

	}

	static class Jobs {

		private final AtomicInteger bodies = new AtomicInteger();

		@DistributedLock(key = "job", ttl = "30s")
		public void threeSeconds() throws InterruptedException {
			System.out.println("IN BODY");
			Thread.sleep(Duration.ofSeconds(3).toMillis());
			System.out.println("BODY ENDED");
		}

		@DistributedLock(key = "job", ttl = "1h", autoRenew = false)
		public void hour() {
			System.out.println("IN BODY");
			try {
				Thread.sleep(Duration.ofHours(1).toMillis());
			}
			catch (InterruptedException ex) {
				System.out.println("INTERRUPTED");
			}
		}

		@DistributedLock(key = "job:#{#number}", ttl = "5s")
		public void untilClosing(int number, CountDownLatch inside, CountDownLatch closing) {
			inside.countDown();
			try {
				inside.await();
				System.out.println("IN BODY");
				closing.await();
				Thread.sleep(Duration.ofSeconds(1).toMillis());
				System.out.println("BODY ENDED");
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		public int bodies() {
			return this.bodies.get();
		}

		@DistributedLock(key = "job", ttl = "30s")
		public void brief() throws InterruptedException {
			this.bodies.incrementAndGet();
			Thread.sleep(5);
		}

	}

}
