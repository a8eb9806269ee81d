package org.lockspring.jdbc;

import java.time.Duration;
import java.util.UUID;

import org.lockspring.Acquisition;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A process that tries until it has the lock, for which it then does nothing more. */
final class JdbcWaiter {

	static final String NAME = "app:{k}";

	private JdbcWaiter() {
	}

	public static void main(String[] args) throws InterruptedException {
		System.out.println("clock " + System.currentTimeMillis());
		DriverManagerDataSource database = new DriverManagerDataSource(args[0], args[1], args[2]);
		try (JdbcLockBackend backend = new JdbcLockBackend(database, Duration.ofDays(7), Duration.ofSeconds(10))) {
			LockAttempt attempt = attempt(Duration.parse(args[3]));
			while (true) {
				if (backend.tryAcquire(attempt) instanceof Acquisition.Granted granted) {
					System.out.println("granted " + granted.lease().fencingToken().value());
					Thread.sleep(Long.MAX_VALUE);
				}
				System.out.println("busy");
				Thread.sleep(50);
			}
		}
	}

	static LockAttempt attempt(Duration ttl) {
		return new LockAttempt(NAME, UUID.randomUUID().toString(), LockMode.CORRECTNESS, ttl, "'k'");
	}

}
