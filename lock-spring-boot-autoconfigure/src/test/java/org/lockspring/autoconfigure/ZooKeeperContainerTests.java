package org.lockspring.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockOperations;
import org.lockspring.testing.TestServers;
import org.lockspring.testing.UsesServer;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Testcontainers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.context.ImportTestcontainers;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application whose ZooKeeper is a container, connected through
 * {@link ServiceConnection} and nothing else. Skipped where no container engine answers.
 */
@SpringBootTest
@UsesServer("zookeeper-container")
@ImportTestcontainers
@Testcontainers(disabledWithoutDocker = true)
class ZooKeeperContainerTests {

	static final int PORT = 2181;

	@ServiceConnection("zookeeper")
	static final GenericContainer<?> zooKeeper = new GenericContainer<>(image()).withExposedPorts(PORT);

	@Autowired
	LockOperations locks;

	@Autowired
	ZooKeeperConnectionDetails details;

	@Test
	void aLockIsANodeInTheContainer(@Autowired CuratorFramework client) throws Exception {
		TestServers.started("zookeeper-container", image());
		assertThat(this.details.getConnectString())
			.isEqualTo(zooKeeper.getHost() + ":" + zooKeeper.getMappedPort(PORT));
		LockRequest request = LockRequest.of("order")
			.withMode(LockMode.CORRECTNESS)
			.withWaitTime(Duration.ofSeconds(20));
		List<String> during = this.locks.execute(request, (lease) -> client.getChildren().forPath("/lock"));
		assertThat(during).hasSize(1);
		assertThat(client.getChildren().forPath("/lock")).isEmpty();
	}

	private static String image() {
		return System.getenv().getOrDefault("LOCK_TEST_ZOOKEEPER_IMAGE", "zookeeper:3.9");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Application {

	}

}
