package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.lockspring.AllOrNothing.Answer;
import org.lockspring.BackendLease;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Takes several entries with one script. In a Cluster only those of one slot; that it is
 * one is learned from its first refusal.
 */
final class RedisTogether {

	private final RedisCalls calls;

	private final String fenceRetention;

	private final Leases leases;

	private volatile boolean bySlot;

	RedisTogether(RedisCalls calls, String fenceRetention, Leases leases) {
		this.calls = calls;
		this.fenceRetention = fenceRetention;
		this.leases = leases;
	}

	boolean canTake(Collection<String> names) {
		return !this.bySlot || names.stream().mapToInt(ClusterSlotHashUtil::calculateSlot).distinct().count() == 1;
	}

	@Nullable Answer tryAcquire(List<LockAttempt> attempts) {
		List<String> keysAndArgs = new ArrayList<>();
		for (LockAttempt attempt : attempts) {
			keysAndArgs.add(attempt.name());
			keysAndArgs.add(attempt.name() + ":fence");
		}
		int keys = keysAndArgs.size();
		keysAndArgs.add(this.fenceRetention);
		for (LockAttempt attempt : attempts) {
			keysAndArgs.add(attempt.owner());
			keysAndArgs.add(Long.toString(attempt.ttl().toMillis()));
			keysAndArgs.add((attempt.mode() == LockMode.CORRECTNESS) ? "1" : "0");
		}
		long sentAt = System.nanoTime();
		try {
			return answer(attempts, this.calls.runList(LockScript.ACQUIRE_ALL, keys, keysAndArgs), sentAt);
		}
		catch (RuntimeException ex) {
			if (!RedisFailure.isCrossSlot(ex)) {
				throw ex;
			}
			this.bySlot = true;
			return null;
		}
	}

	private Answer answer(List<LockAttempt> attempts, List<Long> answers, long sentAt) {
		if (answers.get(0) == 0) {
			long left = -answers.get(2);
			return new Answer.OneBusy(answers.get(1).intValue() - 1, (left > 0) ? Duration.ofMillis(left) : null);
		}
		List<BackendLease> granted = new ArrayList<>(attempts.size());
		for (int i = 0; i < attempts.size(); i++) {
			granted.add(this.leases.granted(attempts.get(i), answers.get(i + 1), sentAt));
		}
		return new Answer.AllGranted(granted);
	}

	/**
	 * Makes a lease of what was granted.
	 */
	@FunctionalInterface
	interface Leases {

		BackendLease granted(LockAttempt attempt, long answer, long sentAt);

	}

}
