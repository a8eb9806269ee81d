package org.lockspring.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.TokenCounter;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Three servers whose leader goes away again and again. */
@UsesServer("etcd")
@EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")
class EtcdClusterTests {

	private static final int FAULTS = 3;

	private final List<EtcdServer> servers = EtcdServer.startCluster(3);

	private final List<EtcdProcess> processes = new ArrayList<>();

	EtcdClusterTests() {
		String[] endpoints = this.servers.stream().map(EtcdServer::endpoint).toArray(String[]::new);
		for (int i = 0; i < 3; i++) {
			this.processes.add(new EtcdProcess(Duration.ofSeconds(2), endpoints));
		}
	}

	@AfterEach
	void close() {
		this.processes.forEach(EtcdProcess::close);
		this.servers.forEach(EtcdServer::close);
	}

	@Test
	void noUpdateIsLostWhileTheLeaderIsKilledInALoop() throws Exception {
		verify(() -> {
			EtcdServer leader = leader();
			leader.kill();
			await().atMost(Duration.ofSeconds(60)).until(() -> leader() != null);
			leader.restart();
			leader.awaitHealth();
		});
	}

	@Test
	void noUpdateIsLostWhileTheLeaderIsStoppedInALoop() throws Exception {
		verify(() -> {
			EtcdServer leader = leader();
			leader.pause();
			await().atMost(Duration.ofSeconds(60)).until(() -> leader() != null);
			leader.resume();
			leader.awaitHealth();
		});
	}

	private void verify(Runnable fault) throws Exception {
		TokenCounter counter = new TokenCounter();
		AtomicInteger faults = new AtomicInteger();
		Thread chaos = new Thread(() -> {
			while (faults.get() < FAULTS) {
				fault.run();
				int before = counter.value();
				await().atMost(Duration.ofMinutes(2)).until(() -> counter.value() > before + 5);
				faults.incrementAndGet();
			}
		});
		chaos.start();
		List<LockTemplate> templates = this.processes.stream().map((process) -> process.template).toList();
		int rounds = 0;
		while (chaos.isAlive()) {
			counter.raise(templates, 5, Duration.ofMinutes(4));
			rounds += 15;
		}
		assertThat(faults).hasValue(FAULTS);
		counter.verify(rounds);
	}

	/** A stopped server does not answer, so it is none. */
	private EtcdServer leader() {
		return this.servers.stream().filter(EtcdServer::isLeader).findFirst().orElse(null);
	}

}
