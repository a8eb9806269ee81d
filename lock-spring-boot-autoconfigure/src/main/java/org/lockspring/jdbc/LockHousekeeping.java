package org.lockspring.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.lockspring.LockAttempt;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * What has to be done in the table of locks and nobody waits for: giving back what was
 * perhaps granted, and deleting rows of names that are not used any more.
 */
final class LockHousekeeping implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(JdbcLockBackend.class);

	private static final Duration CLEANING = Duration.ofHours(1);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

	private static final int MOST_PENDING = 1000;

	private final LockTable table;

	private final Duration retention;

	private final ScheduledThreadPoolExecutor executor;

	private final AtomicBoolean begun = new AtomicBoolean();

	LockHousekeeping(LockTable table, Duration retention) {
		this.table = table;
		this.retention = retention;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-jdbc-");
		threads.setDaemon(true);
		this.executor = new ScheduledThreadPoolExecutor(1, threads, new ThreadPoolExecutor.DiscardPolicy());
	}

	/**
	 * Clean from now on. The instances of an application take different times for it.
	 */
	void begin() {
		if (!this.begun.get() && this.begun.compareAndSet(false, true)) {
			Future<?> unused = this.executor.scheduleWithFixedDelay(this::clean,
					ThreadLocalRandom.current().nextLong(CLEANING.toMillis()), CLEANING.toMillis(),
					TimeUnit.MILLISECONDS);
		}
	}

	void clean() {
		try {
			boolean more = true;
			while (more) {
				more = this.table.deleteOld(this.retention);
			}
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("Old rows of lock_entry could not be deleted yet", ex);
		}
	}

	/**
	 * Give back what may have been granted without our knowing. As the request may still
	 * be on its way, this is tried until an entry was found or would have ended by
	 * itself.
	 */
	void abandon(LockAttempt attempt) {
		abandon(attempt, System.nanoTime() + attempt.ttl().toNanos(), Duration.ZERO);
	}

	private void abandon(LockAttempt attempt, long end, Duration pause) {
		if (this.executor.getQueue().size() < MOST_PENDING) {
			Future<?> unused = this.executor.schedule(() -> {
				if (!tryToAbandon(attempt) && System.nanoTime() - end < 0) {
					abandon(attempt, end, pause.isZero() ? FIRST_PAUSE : pause.multipliedBy(2));
				}
			}, pause.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private boolean tryToAbandon(LockAttempt attempt) {
		try {
			return this.table.abandon(attempt);
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("Lock " + attempt.description() + ", if it was granted, cannot be given back yet", ex);
			return false;
		}
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
		try {
			this.executor.awaitTermination(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
