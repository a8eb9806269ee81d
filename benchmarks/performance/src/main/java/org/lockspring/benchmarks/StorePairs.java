package org.lockspring.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.PostgresServer;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Locks in other stores beside the same operations by hand.
 */
final class StorePairs implements Workload {

	static final String PAIRS = "pairs";

	private final String id;

	private final Stores byHand;

	private final Stores ours;

	StorePairs(Stores byHand, Stores ours) {
		this.id = ours.store();
		this.byHand = byHand;
		this.ours = ours;
	}

	static List<Workload> all() {
		return List.of(new StorePairs(Stores.ETCD_BY_HAND, Stores.ETCD),
				new StorePairs(Stores.ZOOKEEPER_BY_HAND, Stores.ZOOKEEPER),
				new StorePairs(Stores.JDBC_BY_HAND, Stores.JDBC));
	}

	@Override
	public String id() {
		return this.id;
	}

	@Override
	public String title() {
		return switch (this.ours) {
			case ETCD -> "etcd, one server, own keys, 1 thread";
			case ZOOKEEPER -> "ZooKeeper, one server, own keys, 1 thread";
			default -> "PostgreSQL, own keys, 1 thread";
		};
	}

	@Override
	public void run(Session session) throws Exception {
		switch (this.ours) {
			case ETCD -> etcd(session);
			case ZOOKEEPER -> zooKeeper(session);
			default -> pairs(session, url(PostgresServer.freshDatabase()));
		}
	}

	private void etcd(Session session) {
		if (!EtcdServer.isAvailable()) {
			session.results().skip(this.id, "there is no etcd on the PATH");
			return;
		}
		try (EtcdServer server = EtcdServer.start()) {
			pairs(session, server.endpoint());
		}
	}

	private void zooKeeper(Session session) throws Exception {
		File directory = directory();
		try (TestingServer server = new TestingServer(new InstanceSpec(directory, -1, -1, -1, true, -1), true)) {
			pairs(session, server.getConnectString());
		}
	}

	private static File directory() throws IOException {
		return Files.createTempDirectory("zookeeper").toFile();
	}

	private static String url(PGSimpleDataSource database) {
		String url = database.getUrl();
		return url + (url.contains("?") ? "&" : "?") + "user=" + database.getUser() + "&password="
				+ database.getPassword();
	}

	private void pairs(Session session, String address) {
		Forks forks = new Forks(session.smoke());
		for (int round = 0; round < forks.rounds(); round++) {
			for (Stores store : List.of(this.byHand, this.ours)) {
				session.results().add(this.id, store.title(), PAIRS, "1/s", forks.pairs(store, address));
			}
		}
	}

}
