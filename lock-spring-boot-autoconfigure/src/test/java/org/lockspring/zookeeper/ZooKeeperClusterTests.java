package org.lockspring.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.lockspring.TokenCounter;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;

/** Three servers that go away one after the other, the leader among them. */
@UsesServer("zookeeper")
class ZooKeeperClusterTests {

	private final TestingCluster cluster = new TestingCluster(3);

	private final List<ZooKeeperProcess> processes = new ArrayList<>();

	@BeforeEach
	void start() throws Exception {
		this.cluster.start();
		for (int i = 0; i < 3; i++) {
			this.processes.add(new ZooKeeperProcess(this.cluster.getConnectString(), Duration.ofSeconds(20)));
		}
	}

	@AfterEach
	void close() throws Exception {
		this.processes.forEach(ZooKeeperProcess::close);
		this.cluster.close();
	}

	@Test
	void noUpdateIsLostWhileEveryServerIsKilledOnce() throws Exception {
		List<LockTemplate> templates = this.processes.stream().map((process) -> process.template).toList();
		TokenCounter counter = new TokenCounter();
		int rounds = 0;
		for (InstanceSpec instance : this.cluster.getInstances()) {
			Thread fault = new Thread(() -> restart(instance));
			fault.start();
			do {
				counter.raise(templates, 5, Duration.ofMinutes(2));
				rounds += 15;
			}
			while (fault.isAlive());
		}
		counter.verify(rounds);
	}

	private void restart(InstanceSpec instance) {
		try {
			assertThat(this.cluster.killServer(instance)).isTrue();
			this.cluster.restartServer(instance);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
