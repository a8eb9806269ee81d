package org.lockspring.sample;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.lockspring.annotation.DistributedLock;
import org.lockspring.annotation.OnBusy;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Computes the interest that is due. Running it twice is a waste and no harm, hence
 * EFFICIENCY, which is the default.
 */
@Component
class InterestJob {

	private static final Log logger = LogFactory.getLog(InterestJob.class);

	private final Ledger ledger;

	InterestJob(Ledger ledger) {
		this.ledger = ledger;
	}

	/**
	 * Run on one instance per tick: the others find the lock busy and skip, also those
	 * whose clock is up to 10 seconds late, as it stays held for that long.
	 */
	@Scheduled(cron = "${ledger.interest-cron}")
	@DistributedLock(key = "daily-interest", ttl = "20s", minHold = "10s", onBusy = OnBusy.SKIP)
	public void computeInterest() {
		long total = this.ledger.accounts().stream().mapToLong(Account::balance).sum();
		logger.info("Interest due on %d: %d".formatted(total, total * 2 / 100));
	}

}
