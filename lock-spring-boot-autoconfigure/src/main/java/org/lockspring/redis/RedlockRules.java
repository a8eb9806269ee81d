package org.lockspring.redis;

import java.util.Collection;

/**
 * The arithmetic of a quorum and of its tokens, without any node: what the backend
 * decides by, and what the model checker of the tests explores.
 * <p>
 * A node grants an attempt a value by raising its counter by one. The attempt's token is
 * the largest value granted to it. A node counts for the token once its counter has
 * reached the token <em>while</em> its entry was still the one it granted: at once if it
 * granted the token itself, else by a second request that compares the entry's exact
 * value and raises the counter.
 */
final class RedlockRules {

	private RedlockRules() {
	}

	/**
	 * The least number of nodes of which two sets always share one.
	 */
	static int majority(int nodes) {
		return nodes / 2 + 1;
	}

	/**
	 * Whether two quorums always share a node.
	 */
	static boolean isQuorum(int quorum, int nodes) {
		return quorum >= majority(nodes) && quorum <= nodes;
	}

	/**
	 * How many nodes may be down.
	 */
	static int survivesDown(int quorum, int nodes) {
		return nodes - quorum;
	}

	/**
	 * How many nodes may forget at the same time: two quorums share at least
	 * {@code 2 * quorum - nodes} nodes, and one of those has to remember.
	 */
	static int survivesForgetting(int quorum, int nodes) {
		return 2 * quorum - nodes - 1;
	}

	/**
	 * The token of an attempt that was granted these values.
	 */
	static long token(Collection<Long> granted) {
		return granted.stream().mapToLong(Long::longValue).max().orElseThrow();
	}

	/**
	 * Whether a node counts for a token without a second request.
	 */
	static boolean countsAtOnce(long granted, long token) {
		return granted == token;
	}

}
