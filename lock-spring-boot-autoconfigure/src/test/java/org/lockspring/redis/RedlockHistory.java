package org.lockspring.redis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What clients saw, on one monotonic clock, and what has to be true of it.
 */
final class RedlockHistory {

	private final Queue<Acquired> all = new ConcurrentLinkedQueue<>();

	void add(Acquired acquired) {
		this.all.add(acquired);
	}

	int size() {
		return this.all.size();
	}

	void assertTokensUnique() {
		Map<Long, Acquired> byToken = new HashMap<>();
		for (Acquired each : this.all) {
			Acquired other = byToken.put(each.token(), each);
			assertThat(other).as("another acquisition with the token of %s", each).isNull();
		}
	}

	/**
	 * Whoever began after another's decision has a larger token.
	 */
	void assertTokensRise() {
		List<Acquired> begun = new ArrayList<>(this.all);
		begun.sort(Comparator.comparingLong(Acquired::begun));
		List<Acquired> decided = new ArrayList<>(this.all);
		decided.sort(Comparator.comparingLong(Acquired::decided));
		int next = 0;
		long largest = 0;
		for (Acquired each : begun) {
			for (; decided.get(next).decided() < each.begun(); next++) {
				largest = Math.max(largest, decided.get(next).token());
			}
			assertThat(each.token()).as("a token decided before %s began", each).isGreaterThan(largest);
		}
	}

	/**
	 * Nobody holds the lock while another one may believe to hold it.
	 */
	void assertNoOverlap() {
		List<Acquired> held = new ArrayList<>(this.all);
		held.sort(Comparator.comparingLong(Acquired::decided));
		for (int i = 1; i < held.size(); i++) {
			assertThat(held.get(i).decided()).as("%s before %s had ended", held.get(i), held.get(i - 1))
				.isGreaterThanOrEqualTo(held.get(i - 1).ended());
		}
	}

	/**
	 * One acquisition.
	 *
	 * @param client who
	 * @param token with which token
	 * @param begun before the first request
	 * @param decided when it was known to be held
	 * @param ended when it was given back, or its validity was over
	 */
	record Acquired(int client, long token, long begun, long decided, long ended) {

	}

}
