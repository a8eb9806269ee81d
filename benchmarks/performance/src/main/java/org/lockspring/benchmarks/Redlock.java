package org.lockspring.benchmarks;

import java.util.List;

import org.lockspring.testing.RedisServers;

/**
 * Five servers beside one.
 */
final class Redlock implements Workload {

	static final String PAIRS = "pairs";

	static final String ONE = "CORRECTNESS, one server";

	static final String FIVE = "CORRECTNESS, Redlock, 5 servers";

	static final String STOPPED = "CORRECTNESS, Redlock, one of 5 stopped";

	@Override
	public String id() {
		return "redlock";
	}

	@Override
	public String title() {
		return "Redlock, own keys, 1 thread";
	}

	@Override
	public void run(Session session) {
		Forks forks = new Forks(session.smoke());
		try (RedisServers servers = RedisServers.start(5)) {
			String address = String.join(",", servers.uris());
			for (int round = 0; round < forks.rounds(); round++) {
				session.redis().flush();
				add(session, ONE, forks.pairs(session.redis(), Contestants.CORRECTNESS, 1));
				add(session, FIVE, forks.pairs(Stores.REDLOCK, address));
				servers.server(4).pause();
				try {
					add(session, STOPPED, forks.pairs(Stores.REDLOCK, address));
				}
				finally {
					servers.server(4).resume();
				}
			}
		}
	}

	private void add(Session session, String contestant, List<Double> pairs) {
		session.results().add(id(), contestant, PAIRS, "1/s", pairs);
	}

}
