package org.lockspring.redis;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.lettuce.core.SslOptions;
import org.jspecify.annotations.Nullable;
import org.lockspring.Acquisition;
import org.lockspring.Assumption;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.RequestCheck;
import org.lockspring.fencing.FencingToken;
import org.lockspring.redis.RedlockRound.Result;
import org.springframework.core.NestedExceptionUtils;

/**
 * Locks on several independent Redis servers, of which a quorum decides, after the
 * <a href= "https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Redlock
 * algorithm</a>; with fencing tokens in CORRECTNESS, which the published algorithm does
 * not have.
 * <p>
 * Tokens are unique, and rise with every acquisition, as long as a quorum remembers;
 * whatever messages are delayed, lost or repeated, and whatever clocks do. That only one
 * caller holds the lock rests on clocks in addition: see {@code docs/redlock.md}.
 * <p>
 * An attempt that is made again is granted the same value by each server. If other
 * servers than before decide, and they count apart, it can get another token.
 *
 * @since 0.1.0
 */
public final class RedlockBackend implements LockBackend, RequestCheck, AutoCloseable {

	/**
	 * Callers that meet take votes from each other: the lock is free, yet nobody has it.
	 */
	private static final int MOST_TRIES = 4;

	private static final long LONGEST_PAUSE = Duration.ofMillis(5).toNanos();

	private final RedlockSettings settings;

	private final RedlockNodes nodes;

	/**
	 * Create a backend and connect to the servers that are up.
	 * @param settings the servers and how many decide
	 * @param ssl how to encrypt, for servers that are named {@code rediss://};
	 * {@code null} for the JVM's defaults
	 * @throws InvalidLockDefinitionException if the servers are not independent, or serve
	 * clients with another list of servers
	 */
	public RedlockBackend(RedlockSettings settings, @Nullable SslOptions ssl) {
		this.settings = settings;
		this.nodes = new RedlockNodes(settings, ssl);
		this.nodes.join();
	}

	@Override
	public String name() {
		return "redlock";
	}

	@Override
	public boolean supports(LockMode mode) {
		return true;
	}

	int quorum() {
		return this.settings.quorum();
	}

	@Override
	public Acquisition tryAcquire(LockAttempt attempt) {
		requireRemembered(attempt.description(), attempt.ttl());
		for (int i = 1; i < MOST_TRIES; i++) {
			Try outcome = tryOnce(attempt, (i == 1) ? attempt.owner() : attempt.owner() + "-" + i);
			if (!outcome.split()) {
				return outcome.acquisition();
			}
			pause(i);
		}
		return tryOnce(attempt, attempt.owner() + "-" + MOST_TRIES).acquisition();
	}

	private Try tryOnce(LockAttempt attempt, String owner) {
		long sentAt = System.nanoTime();
		RedlockRound grants = acquire(attempt, owner);
		Result result = grants.completeResult().join();
		if (!result.enough()) {
			giveBack(attempt, owner, result.refused().size());
			return refused(attempt, result);
		}
		if (attempt.mode() == LockMode.EFFICIENCY) {
			return granted(new RedlockLease(this, attempt, owner, grants, null, sentAt));
		}
		long token = RedlockRules.token(result.agreed().values());
		Result raised = raise(attempt, owner, result.agreed(), token);
		if (!raised.enough()) {
			giveBack(attempt, owner, 0);
			if (raised.refused().isEmpty()) {
				throw unavailable(attempt, "could not be acquired", raised);
			}
			return new Try(new Acquisition.Busy(null), true);
		}
		return granted(
				new RedlockLease(this, attempt, owner, grants, new FencingToken(token, attempt.owner()), sentAt));
	}

	private static Try granted(RedlockLease lease) {
		return new Try(new Acquisition.Granted(lease), false);
	}

	/**
	 * Others have votes: they hold the lock, or have met us.
	 */
	private Try refused(LockAttempt attempt, Result result) {
		int missing = quorum() - result.agreed().size();
		if (result.refused().size() <= this.nodes.size() - quorum()) {
			throw unavailable(attempt, "could not be acquired", result);
		}
		List<Long> ends = result.refused()
			.stream()
			.filter((answer) -> answer < 0)
			.map((answer) -> -answer)
			.sorted()
			.toList();
		Duration retryAfter = (ends.size() >= missing) ? Duration.ofMillis(ends.get(missing - 1)) : null;
		return new Try(new Acquisition.Busy(retryAfter), !result.agreed().isEmpty());
	}

	private RedlockRound acquire(LockAttempt attempt, String owner) {
		String[] keys = { attempt.name(), this.settings.stateKey() };
		String quarantine = Long.toString(this.settings.quarantine().toMillis());
		String ttl = Long.toString(attempt.ttl().toMillis());
		return this.nodes.ask(quorum(), (node) -> node.runInEpoch(RedlockScript.ACQUIRE, keys, quarantine,
				this.settings.fingerprint(), owner, ttl));
	}

	/**
	 * Ask the servers that granted a lower value to catch up with the token. Only those
	 * whose grant the token was made of: another one may have granted more.
	 */
	private Result raise(LockAttempt attempt, String owner, Map<RedlockNode, Long> granted, long token) {
		String[] keys = { attempt.name(), this.settings.stateKey() };
		Map<RedlockNode, CompletableFuture<Long>> questions = new LinkedHashMap<>();
		granted.forEach((node, value) -> {
			if (this.settings.confirm() || !RedlockRules.countsAtOnce(value, token)) {
				questions.put(node,
						node.runInEpoch(RedlockScript.RAISE, keys, entry(owner, value), Long.toString(token)));
			}
		});
		int counting = granted.size() - questions.size();
		return RedlockRound.of(questions, quorum() - counting, this.settings.nodeTimeout()).result().join();
	}

	private static String entry(String owner, long granted) {
		return owner + ":" + granted;
	}

	/**
	 * Ask everybody, also who has not answered: the release follows the request on the
	 * same connection.
	 */
	private void giveBack(LockAttempt attempt, String owner, int refused) {
		if (refused < this.nodes.size()) {
			var unused = release(attempt, owner);
		}
	}

	CompletableFuture<Result> release(LockAttempt attempt, String owner) {
		String[] keys = { attempt.name() };
		return this.nodes.ask(quorum(), (node) -> node.run(LockScript.ABANDON, keys, owner, "")).completeResult();
	}

	Result renew(LockAttempt attempt, String owner, Map<RedlockNode, Long> granted, Duration ttl) {
		requireRemembered(attempt.description(), ttl);
		String[] keys = { attempt.name() };
		Map<RedlockNode, CompletableFuture<Long>> questions = new LinkedHashMap<>();
		granted.forEach((node, value) -> questions.put(node,
				node.run(LockScript.RENEW, keys, entry(owner, value), Long.toString(ttl.toMillis()))));
		return RedlockRound.of(questions, quorum(), this.settings.nodeTimeout()).completeResult().join();
	}

	/**
	 * Refuses a ttl that is longer than the quarantine.
	 */
	@Override
	public void check(LockRequest request) {
		if (request.ttl() != null) {
			requireRemembered(request.description(), request.ttl());
		}
	}

	/**
	 * A server that restarts empty must not grant what may still be held.
	 */
	private void requireRemembered(String lock, Duration ttl) {
		if (ttl.compareTo(this.settings.quarantine()) > 0) {
			throw new InvalidLockDefinitionException("Lock " + lock,
					"its ttl of %s is longer than lock.redlock.quarantine, %s".formatted(ttl,
							this.settings.quarantine()),
					"Set lock.redlock.quarantine to at least the largest ttl, in every application");
		}
	}

	LockUnavailableException unavailable(LockAttempt attempt, String what, Result result) {
		String reasons = result.failed()
			.entrySet()
			.stream()
			.map((entry) -> entry.getKey().address() + ": " + RedisFailure.describe(entry.getValue()))
			.collect(Collectors.joining("; "));
		boolean permanent = result.failed().values().stream().anyMatch(RedisFailure::isPermanent);
		Throwable cause = result.failed()
			.values()
			.stream()
			.findFirst()
			.map(NestedExceptionUtils::getMostSpecificCause)
			.orElse(null);
		return new LockUnavailableException("Lock %s %s: %d of %d Redlock servers agreed and %d are needed. %s"
			.formatted(attempt.description(), what, result.agreed().size(), this.nodes.size(), quorum(), reasons),
				cause, !permanent);
	}

	private static void pause(int tries) {
		try {
			TimeUnit.NANOSECONDS.sleep(ThreadLocalRandom.current().nextLong(tries * LONGEST_PAUSE));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public List<Assumption> assumptions(LockMode mode) {
		return RedlockAssumptions.of(mode, this.settings);
	}

	/**
	 * Close the connections.
	 */
	@Override
	public void close() {
		this.nodes.close();
	}

	/**
	 * How one try ended.
	 *
	 * @param acquisition the answer
	 * @param split whether some servers voted for us, so that another try may get more
	 */
	private record Try(Acquisition acquisition, boolean split) {

	}

}
