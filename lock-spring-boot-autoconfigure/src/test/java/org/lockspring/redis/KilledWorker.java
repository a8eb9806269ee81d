package org.lockspring.redis;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import org.lockspring.LockException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;

/**
 * A program that takes locks as fast as it can, until it is killed.
 */
final class KilledWorker {

	private KilledWorker() {
	}

	public static void main(String[] args) {
		RedisDriver.Process process = RedisDriver.LETTUCE.process(Integer.parseInt(args[0]));
		LockTemplate template = new LockTemplate(process.backend(), new LockSettings("app"));
		while (true) {
			try {
				round(template);
			}
			catch (LockException ex) {
				// The machine is busy
			}
		}
	}

	static void round(LockTemplate template) {
		int random = ThreadLocalRandom.current().nextInt(20);
		LockRequest request = LockRequest.of("k" + random % 10)
			.withMode(LockMode.values()[random / 10])
			.withTtl(Duration.ofMillis(500));
		template.tryExecute(request, (lease) -> "done");
	}

}
