package org.lockspring.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.lockspring.BatchRenewal.Outcome;
import org.lockspring.BatchRenewal.Renewal;
import org.lockspring.LockUnavailableException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Renews many entries with one script; in a Cluster with one for each slot, all sent
 * before the first answer is awaited if the client can. A request that is slow does not
 * keep back the outcome of the others for long: its entries count as failed and are
 * renewed again soon, and its answer still counts when it comes.
 */
final class RedisBatchRenewal {

	private final RedisCalls calls;

	private volatile boolean bySlot;

	RedisBatchRenewal(RedisCalls calls) {
		this.calls = calls;
	}

	List<Outcome> renew(List<Renewal> renewals) {
		boolean grouped = this.bySlot;
		long deadline = System.nanoTime() + patience(renewals);
		Map<Renewal, CompletableFuture<Outcome>> pending = new HashMap<>();
		for (List<Renewal> group : grouped ? bySlot(renewals) : List.of(renewals)) {
			if (System.nanoTime() - deadline < 0) {
				send(group, pending);
			}
		}
		List<Outcome> outcomes = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			outcomes.add(await(pending.get(renewal), deadline));
		}
		if (!grouped && outcomes.stream().anyMatch(RedisBatchRenewal::isCrossSlot)) {
			this.bySlot = true;
			return renew(renewals);
		}
		return outcomes;
	}

	/**
	 * Renewal begins after a third of the time to live: what is not answered by the half
	 * of it can be tried again several times.
	 */
	private static long patience(List<Renewal> renewals) {
		return renewals.stream().mapToLong((renewal) -> renewal.ttl().toNanos()).min().orElse(0) / 6;
	}

	/**
	 * In another order each time: if a node hangs, it is not always the same that wait.
	 */
	private static List<List<Renewal>> bySlot(List<Renewal> renewals) {
		List<List<Renewal>> groups = new ArrayList<>(renewals.stream()
			.collect(Collectors.groupingBy((renewal) -> ClusterSlotHashUtil.calculateSlot(lease(renewal).name())))
			.values());
		Collections.shuffle(groups);
		return groups;
	}

	private void send(List<Renewal> group, Map<Renewal, CompletableFuture<Outcome>> pending) {
		List<String> keysAndArgs = new ArrayList<>(3 * group.size());
		group.forEach((renewal) -> keysAndArgs.add(lease(renewal).name()));
		for (Renewal renewal : group) {
			keysAndArgs.add(lease(renewal).value());
			keysAndArgs.add(Long.toString(renewal.ttl().toMillis()));
		}
		long sentAt = System.nanoTime();
		CompletableFuture<Object> answers = this.calls.send(LockScript.RENEW_ALL, group.size(),
				keysAndArgs.toArray(String[]::new));
		for (int i = 0; i < group.size(); i++) {
			int index = i;
			pending.put(group.get(i),
					answers.thenApply((answer) -> outcome(group.get(index), sentAt, ((List<?>) answer).get(index)))
						.exceptionally((ex) -> failed(group.get(index), ex)));
		}
	}

	private Outcome outcome(Renewal renewal, long sentAt, @Nullable Object answer) {
		if (answer instanceof Long number) {
			return new Outcome.Answered(lease(renewal).renewed(sentAt, renewal.ttl(), number));
		}
		String error = (answer instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8)
				: String.valueOf(answer);
		RedisSystemException failure = new RedisSystemException(error, null);
		// The script goes on after an error, and so does not fail itself
		this.calls.failedUnawaited(failure);
		return failed(renewal, failure);
	}

	private static Outcome failed(Renewal renewal, Throwable ex) {
		return new Outcome.Failed(lease(renewal).notExtended(ex));
	}

	private static Outcome await(@Nullable CompletableFuture<Outcome> outcome, long deadline) {
		if (outcome == null) {
			return late(null);
		}
		try {
			return outcome.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			return late(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return late(ex);
		}
	}

	private static Outcome late(@Nullable Exception cause) {
		return new Outcome.Failed(new LockUnavailableException("Redis has not answered yet", cause, true));
	}

	private static boolean isCrossSlot(Outcome outcome) {
		return outcome instanceof Outcome.Failed failed && RedisFailure.isCrossSlot(failed.reason());
	}

	private static RedisLease lease(Renewal renewal) {
		return (RedisLease) renewal.lease();
	}

}
