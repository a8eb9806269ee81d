package org.lockspring.redis;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.lockspring.redis.RedlockNodeTable.Answer;

/**
 * All that can happen: a request is executed late, twice or never, an answer is received
 * late or never, an entry ends at any moment, a node forgets. What an attempt gives up
 * needs no step of its own: it is one whose next step never comes. A release is an entry
 * that ends.
 *
 * @param nodes number of nodes
 * @param quorum how many decide
 * @param attempts number of attempts
 * @param executions how often a first request can be executed
 * @param forgetting how many times a node forgets everything
 * @param flaws what is left out of the protocol
 */
record RedlockModel(int nodes, int quorum, int attempts, int executions, int forgetting, Set<Flaw> flaws) {

	/**
	 * Something left out, of which the checker must find the consequence.
	 */
	enum Flaw {

		/** The token is held as soon as a quorum granted anything. */
		NO_SECOND_ROUND,

		/** The second request does not look at the entry. */
		NO_OWNERSHIP_CHECK,

		/** The second request compares only the entry's owner. */
		OWNER_ONLY,

		/** The second request is sent to nodes that did not answer the first. */
		UNANSWERED_NODE_COUNTED,

		/** A node that forgot goes on at once. */
		NO_QUARANTINE,

		/** A node that forgot counts from zero. */
		NO_FLOOR

	}

	static RedlockModel of(int nodes, int attempts, Flaw... flaws) {
		Set<Flaw> set = EnumSet.noneOf(Flaw.class);
		set.addAll(List.of(flaws));
		return new RedlockModel(nodes, RedlockRules.majority(nodes), attempts, 1, 0, set);
	}

	RedlockModel withExecutions(int executions) {
		return new RedlockModel(this.nodes, this.quorum, this.attempts, executions, this.forgetting, this.flaws);
	}

	RedlockModel withQuorum(int quorum) {
		return new RedlockModel(this.nodes, quorum, this.attempts, this.executions, this.forgetting, this.flaws);
	}

	RedlockModel withForgetting(int forgetting) {
		return new RedlockModel(this.nodes, this.quorum, this.attempts, this.executions, forgetting, this.flaws);
	}

	RedlockState emptyState() {
		return new RedlockState(this.nodes, this.attempts, (this.nodes > 3) ? 3 : 4);
	}

	/**
	 * The states that attempts of the past may have left: counters apart by one.
	 */
	List<RedlockState> initialStates() {
		List<RedlockState> states = new ArrayList<>();
		for (int ahead = 0; ahead <= this.nodes; ahead++) {
			RedlockState state = emptyState();
			for (int i = 0; i < ahead; i++) {
				state.counter[i] = 1;
			}
			states.add(state);
		}
		return states;
	}

	/**
	 * Take every step that is possible.
	 * @param state where from
	 * @param next scratch space for where to
	 * @param steps told of every step
	 */
	void forEachStep(RedlockState state, RedlockState next, Steps steps) {
		for (int a = 0; a < this.attempts; a++) {
			if (state.phase[a] == RedlockState.IDLE) {
				begin(state, next, a, steps);
				continue;
			}
			for (int i = 0; i < this.nodes; i++) {
				acquire(state, next, a, i, steps);
				raise(state, next, a, i, steps);
			}
			if (state.age[a] == RedlockState.OVER) {
				continue;
			}
			if (state.phase[a] == RedlockState.ASKING) {
				choose(state, next, a, steps);
			}
			else if (state.phase[a] == RedlockState.RAISING) {
				decide(state, next, a, steps);
			}
		}
		for (int i = 0; i < this.nodes; i++) {
			if (state.owner[i] > 0) {
				next.copyFrom(state);
				end(next, i);
				steps.taken(next, "the entry of a node ends");
			}
			if (state.forgotten < this.forgetting) {
				forget(state, next, i, steps);
			}
			if (state.quarantined[i]) {
				endQuarantine(state, next, i, steps);
			}
		}
	}

	private static void begin(RedlockState state, RedlockState next, int a, Steps steps) {
		next.copyFrom(state);
		next.phase[a] = RedlockState.ASKING;
		next.before[a] = state.largestDecided();
		steps.taken(next, "an attempt begins");
	}

	private void acquire(RedlockState state, RedlockState next, int a, int i, Steps steps) {
		if (state.executed[a][i] >= this.executions || state.quarantined[i]) {
			return;
		}
		Answer answer = RedlockNodeTable.find(state.owner[i], state.value[i], a + 1, 0).acquire();
		if (answer == Answer.BUSY) {
			return;
		}
		next.copyFrom(state);
		next.executed[a][i]++;
		if (answer == Answer.GRANT) {
			next.counter[i]++;
			next.owner[i] = a + 1;
			next.value[i] = next.counter[i];
		}
		if (state.phase[a] == RedlockState.ASKING) {
			if (state.granted[a][i] > 0) {
				steps.taken(next, "a request is executed again, and its answer lost");
			}
			next.granted[a][i] = next.value[i];
		}
		steps.taken(next, "a node grants");
	}

	/** Whatever quorum of answers has come, and perhaps more. */
	private void choose(RedlockState state, RedlockState next, int a, Steps steps) {
		for (int chosen = 0; chosen < 1 << this.nodes; chosen++) {
			if (Integer.bitCount(chosen) >= this.quorum && isGranted(state.granted[a], chosen)) {
				next.copyFrom(state);
				List<Long> values = new ArrayList<>();
				for (int i = 0; i < this.nodes; i++) {
					if ((chosen & 1 << i) == 0) {
						next.granted[a][i] = 0;
					}
					else {
						values.add((long) next.granted[a][i]);
					}
				}
				long token = RedlockRules.token(values);
				int counting = 0;
				for (int i = 0; i < this.nodes; i++) {
					next.counts[a][i] = RedlockRules.countsAtOnce(next.granted[a][i], token);
					counting += next.counts[a][i] ? 1 : 0;
				}
				if (counting >= this.quorum || this.flaws.contains(Flaw.NO_SECOND_ROUND)) {
					hold(next, a, steps);
				}
				else {
					next.phase[a] = RedlockState.RAISING;
					steps.taken(next, "an attempt chooses its token");
				}
			}
		}
	}

	private static boolean isGranted(int[] granted, int chosen) {
		for (int i = 0; i < granted.length; i++) {
			if ((chosen & 1 << i) != 0 && granted[i] == 0) {
				return false;
			}
		}
		return true;
	}

	private void raise(RedlockState state, RedlockState next, int a, int i, Steps steps) {
		if (state.phase[a] < RedlockState.RAISING || state.counts[a][i]) {
			return;
		}
		boolean known = state.granted[a][i] > 0;
		if (!known && !this.flaws.contains(Flaw.UNANSWERED_NODE_COUNTED)) {
			return;
		}
		RedlockNodeTable row = RedlockNodeTable.find(state.owner[i], state.value[i], a + 1, state.granted[a][i]);
		boolean passes = row.raise() == Answer.RAISE || this.flaws.contains(Flaw.NO_OWNERSHIP_CHECK)
				|| (row == RedlockNodeTable.SAME_OWNER && (!known || this.flaws.contains(Flaw.OWNER_ONLY)));
		if (passes && !state.quarantined[i]) {
			next.copyFrom(state);
			next.counter[i] = Math.max(state.counter[i], state.token(a));
			next.counts[a][i] = true;
			steps.taken(next, "a node raises its counter");
		}
	}

	private void decide(RedlockState state, RedlockState next, int a, Steps steps) {
		int counting = 0;
		for (boolean counts : state.counts[a]) {
			counting += counts ? 1 : 0;
		}
		if (counting >= this.quorum) {
			next.copyFrom(state);
			hold(next, a, steps);
		}
	}

	private void hold(RedlockState next, int a, Steps steps) {
		int token = next.token(a);
		next.phase[a] = RedlockState.HELD;
		steps.taken(next, "an attempt holds the lock");
		if (token <= next.before[a]) {
			steps.violated(next, "token %d is not above %d, which was decided before".formatted(token, next.before[a]));
		}
		for (int b = 0; b < this.attempts; b++) {
			if (b != a && next.phase[b] == RedlockState.HELD && next.token(b) == token) {
				steps.violated(next, "token %d is given twice".formatted(token));
			}
		}
	}

	private static void end(RedlockState next, int i) {
		next.owner[i] = 0;
		next.value[i] = 0;
	}

	/**
	 * The floor is a clock, and two clocks differ: without the quarantine, which is
	 * longer than that, it may be behind a value that another node has granted by its
	 * own.
	 */
	private void forget(RedlockState state, RedlockState next, int i, Steps steps) {
		next.copyFrom(state);
		next.forgotten++;
		end(next, i);
		next.counter[i] = 0;
		if (this.flaws.contains(Flaw.NO_QUARANTINE)) {
			next.counter[i] = this.flaws.contains(Flaw.NO_FLOOR) ? 0 : Math.max(0, state.largestKnown() - 1);
		}
		else {
			next.quarantined[i] = true;
			for (int a = 0; a < this.attempts; a++) {
				if (isUndecided(state, a)) {
					next.age[a] = Math.max(state.age[a], RedlockState.AGED);
				}
			}
		}
		steps.taken(next, "a node forgets");
	}

	/**
	 * By then every attempt that began before is over: its validity is shorter. With two
	 * quarantines at a time this ends more attempts than it must.
	 */
	private void endQuarantine(RedlockState state, RedlockState next, int i, Steps steps) {
		next.copyFrom(state);
		next.quarantined[i] = false;
		for (int a = 0; a < this.attempts; a++) {
			if (isUndecided(state, a) && state.age[a] == RedlockState.AGED) {
				next.age[a] = RedlockState.OVER;
			}
		}
		if (!this.flaws.contains(Flaw.NO_FLOOR)) {
			next.counter[i] = Math.max(state.counter[i], state.largestKnown());
		}
		steps.taken(next, "a node ends its quarantine");
	}

	private static boolean isUndecided(RedlockState state, int a) {
		return state.phase[a] == RedlockState.ASKING || state.phase[a] == RedlockState.RAISING;
	}

	/**
	 * Learns of steps.
	 */
	interface Steps {

		void taken(RedlockState to, String what);

		void violated(RedlockState in, String what);

	}

}
