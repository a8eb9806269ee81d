package org.lockspring.faults.history;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One attempt of a worker to do something under a lock. Times are
 * {@link System#nanoTime()}, which all processes of a Linux machine share.
 *
 * @param id unique in the whole campaign
 * @param worker who
 * @param workload what
 * @param keys what it locks
 * @param start before the lock was asked for
 * @param granted the body begins; {@code null} if it never did, or nobody lived to tell
 * @param left the body has ended, before validity was looked at
 * @param end after the release
 * @param outcome what is known of its effect
 * @param error simple name of the exception
 * @param held the locks, as they were at the end of the body
 */
public record Operation(String id, String worker, String workload, List<String> keys, long start,
		@Nullable Long granted, @Nullable Long left, @Nullable Long end, Outcome outcome, @Nullable String error,
		List<Held> held) {

	/**
	 * An operation that has begun, and of which nothing else is known.
	 * @param id unique in the whole campaign
	 * @param worker who
	 * @param workload what
	 * @param keys what it locks
	 * @return the operation as of now
	 */
	public static Operation begin(String id, String worker, String workload, List<String> keys) {
		return new Operation(id, worker, workload, keys, System.nanoTime(), null, null, null, Outcome.UNKNOWN, null,
				List.of());
	}

	/**
	 * Return whether a resource, or the lease before a commit, kept it from writing.
	 * @return whether a stale holder was refused
	 */
	public boolean isRefused() {
		return "StaleFencingTokenException".equals(this.error) || "LockLostException".equals(this.error)
				|| "RefusedException".equals(this.error);
	}

}
