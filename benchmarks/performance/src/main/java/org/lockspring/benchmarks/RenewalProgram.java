package org.lockspring.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.sun.management.OperatingSystemMXBean;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockTemplate;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Holds many leases, half of them for CORRECTNESS, and has them renewed.
 */
final class RenewalProgram {

	private static final Duration INTERVAL = Contestants.TTL.dividedBy(3);

	private RenewalProgram() {
	}

	/**
	 * Tells the share of a core in percent.
	 * @param args port, how many leases
	 */
	public static void main(String[] args) throws InterruptedException {
		OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
		try (ConfigurableApplicationContext context = OurLocks.start(Integer.parseInt(args[0]), Contestants.TTL)) {
			LockTemplate template = context.getBean(LockTemplate.class);
			List<LockLease> leases = new ArrayList<>();
			for (int i = 0; i < Integer.parseInt(args[1]); i++) {
				leases.add(template.acquire(LockRequest.of("k" + i).withMode(LockMode.values()[i % 2])));
			}
			// The first interval warms up
			Thread.sleep(INTERVAL.toMillis());
			Jvm.tell("start");
			long cpu = system.getProcessCpuTime();
			long start = System.nanoTime();
			Thread.sleep(2 * INTERVAL.toMillis());
			double share = 100.0 * (system.getProcessCpuTime() - cpu) / (System.nanoTime() - start);
			Contestant.require(leases.stream().allMatch(LockLease::isValid), "a lease was lost");
			Jvm.tell(Double.toString(share));
			Jvm.awaitInput();
			leases.forEach(LockLease::close);
		}
	}

}
