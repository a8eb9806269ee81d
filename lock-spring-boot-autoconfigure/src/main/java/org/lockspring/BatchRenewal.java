package org.lockspring;

import java.time.Duration;
import java.util.List;

/**
 * A backend that can renew many entries with few requests.
 *
 * @since 0.1.0
 */
public interface BatchRenewal {

	/**
	 * Renew entries, as {@link BackendLease#renew} does for one.
	 * @param renewals the entries, all of this backend
	 * @return what became of each, in the same order
	 */
	List<Outcome> renew(List<Renewal> renewals);

	/**
	 * One entry to renew.
	 *
	 * @param lease the entry
	 * @param ttl how long it shall live from now
	 */
	record Renewal(BackendLease lease, Duration ttl) {

	}

	/**
	 * What became of one entry.
	 */
	sealed interface Outcome {

		/**
		 * The store answered.
		 *
		 * @param ownership whose the entry was
		 */
		record Answered(BackendLease.Ownership ownership) implements Outcome {

		}

		/**
		 * The store did not answer or refused.
		 *
		 * @param reason why
		 */
		record Failed(LockUnavailableException reason) implements Outcome {

		}

	}

}
