package org.lockspring.benchmarks;

import java.util.ArrayList;
import java.util.List;

import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockTemplate;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Holds many leases, and gives them back.
 */
final class MemoryProgram {

	private MemoryProgram() {
	}

	/**
	 * Tells the bytes in use: before, while the leases are held, afterwards. Waits to be
	 * told to go on each time.
	 * @param args port, how many leases, their mode
	 */
	public static void main(String[] args) throws InterruptedException {
		try (ConfigurableApplicationContext context = OurLocks.start(Integer.parseInt(args[0]), Contestants.TTL)) {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockMode mode = LockMode.valueOf(args[2]);
			template.acquire(LockRequest.of("warm").withMode(mode)).close();
			tellUsed();
			List<LockLease> leases = new ArrayList<>();
			for (int i = 0; i < Integer.parseInt(args[1]); i++) {
				leases.add(template.acquire(LockRequest.of("order:" + i).withMode(mode)));
			}
			tellUsed();
			leases.forEach(LockLease::close);
			leases.clear();
			tellUsed();
		}
	}

	private static void tellUsed() throws InterruptedException {
		Runtime runtime = Runtime.getRuntime();
		long least = Long.MAX_VALUE;
		for (int i = 0; i < 5; i++) {
			System.gc();
			Thread.sleep(50);
			least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
		}
		Jvm.tell(Long.toString(least));
		Jvm.awaitInput();
	}

}
