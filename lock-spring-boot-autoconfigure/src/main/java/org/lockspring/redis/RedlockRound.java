package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * One question to several servers at once, decided as soon as the rest cannot change it:
 * a slow server does not slow it. A positive answer agrees, another one does not, and a
 * server that does not answer in time, or with an error, abstains. Agreement that comes
 * later is still {@linkplain #agreed() known}.
 */
final class RedlockRound {

	private final int needed;

	private final CompletableFuture<Result> result = new CompletableFuture<>();

	private final CompletableFuture<Result> complete = new CompletableFuture<>();

	private final long begin = System.nanoTime();

	private final Map<RedlockNode, Long> agreed = new LinkedHashMap<>();

	private final List<Long> refused = new ArrayList<>();

	private final Map<RedlockNode, Throwable> failed = new LinkedHashMap<>();

	/** Who has yet to answer. */
	private final Set<RedlockNode> pending;

	private RedlockRound(int needed, Set<RedlockNode> pending) {
		this.needed = needed;
		this.pending = new HashSet<>(pending);
	}

	/**
	 * Ask.
	 * @param questions what was sent to whom
	 * @param needed how many have to agree
	 * @param timeout how long each may take to answer
	 */
	static RedlockRound of(Map<RedlockNode, CompletableFuture<Long>> questions, int needed, Duration timeout) {
		RedlockRound round = new RedlockRound(needed, questions.keySet());
		round.decide();
		questions.forEach((node, answer) -> {
			var unused = answer.whenComplete((result, ex) -> round.answered(node, result, ex));
		});
		// One timer for all: it costs as much as a request
		var unused = round.complete.copy().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).exceptionally((ex) -> {
			round.endWaiting(ex);
			return null;
		});
		return round;
	}

	private void answered(RedlockNode node, @Nullable Long answer, @Nullable Throwable ex) {
		synchronized (this) {
			boolean inTime = this.pending.remove(node);
			if (answer != null && answer > 0) {
				this.agreed.put(node, answer);
			}
			else if (inTime && answer != null) {
				this.refused.add(answer);
			}
			else if (inTime) {
				this.failed.put(node, (ex != null) ? ex : new IllegalStateException("Redis answered nothing"));
			}
		}
		decide();
	}

	private void endWaiting(Throwable timeout) {
		Set<RedlockNode> silent;
		synchronized (this) {
			silent = Set.copyOf(this.pending);
		}
		silent.forEach((node) -> {
			node.noteTimeout();
			answered(node, null, timeout);
		});
	}

	private void decide() {
		Result known;
		boolean complete;
		synchronized (this) {
			boolean enough = this.agreed.size() >= this.needed;
			complete = this.pending.isEmpty();
			if (!enough && this.agreed.size() + this.pending.size() >= this.needed) {
				return;
			}
			known = new Result(enough, new LinkedHashMap<>(this.agreed), List.copyOf(this.refused),
					new LinkedHashMap<>(this.failed));
		}
		this.result.complete(known);
		if (complete) {
			this.complete.complete(known);
		}
	}

	/**
	 * What the round came to.
	 */
	CompletableFuture<Result> result() {
		return this.result;
	}

	/**
	 * The same, but a round that failed, which is not as urgent, is given its time again
	 * for the answers of the others.
	 */
	CompletableFuture<Result> completeResult() {
		return this.result.thenCompose((decided) -> decided.enough() ? this.result : this.complete.copy()
			.completeOnTimeout(decided, System.nanoTime() - this.begin, TimeUnit.NANOSECONDS));
	}

	/**
	 * Who has agreed up to now, with the answers.
	 */
	synchronized Map<RedlockNode, Long> agreed() {
		return new LinkedHashMap<>(this.agreed);
	}

	/**
	 * What was known when a round was decided.
	 *
	 * @param enough whether as many agreed as were needed
	 * @param agreed who did, with the answers
	 * @param refused the other answers
	 * @param failed who did not answer, or with an error
	 */
	record Result(boolean enough, Map<RedlockNode, Long> agreed, List<Long> refused,
			Map<RedlockNode, Throwable> failed) {

	}

}
