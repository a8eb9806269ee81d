package org.lockspring.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import org.junit.jupiter.api.Test;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockOperations;
import org.lockspring.testing.TestServers;
import org.lockspring.testing.UsesServer;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.junit.jupiter.Testcontainers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.context.ImportTestcontainers;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application whose etcd is a container, connected through {@link ServiceConnection}
 * and nothing else. Skipped where no container engine answers.
 */
@SpringBootTest
@UsesServer("etcd-container")
@ImportTestcontainers
@Testcontainers(disabledWithoutDocker = true)
class EtcdContainerTests {

	static final int PORT = 2379;

	@ServiceConnection("etcd")
	static final GenericContainer<?> etcd = new GenericContainer<>(image()).withExposedPorts(PORT)
		.withCommand("etcd", "--listen-client-urls=http://0.0.0.0:" + PORT,
				"--advertise-client-urls=http://0.0.0.0:" + PORT)
		.waitingFor(Wait.forHttp("/health").forPort(PORT));

	@Autowired
	LockOperations locks;

	@Autowired
	EtcdConnectionDetails details;

	@Test
	void aLockIsAnEntryInTheContainer(@Autowired @Qualifier("lockEtcdClient") Client client) {
		TestServers.started("etcd-container", image());
		assertThat(this.details.getEndpoints())
			.containsExactly("http://" + etcd.getHost() + ":" + etcd.getMappedPort(PORT));
		LockRequest request = LockRequest.of("order")
			.withMode(LockMode.CORRECTNESS)
			.withWaitTime(Duration.ofSeconds(20));
		long revision = this.locks.execute(request, (lease) -> {
			assertThat(lease.fencingToken()).isNotNull();
			ByteSequence key = ByteSequence.from(lease.name(), StandardCharsets.UTF_8);
			return client.getKVClient().get(key).join().getKvs().get(0).getCreateRevision()
					- lease.fencingToken().value();
		});
		assertThat(revision).isZero();
	}

	private static String image() {
		return System.getenv().getOrDefault("LOCK_TEST_ETCD_IMAGE", "quay.io/coreos/etcd:v3.5.21");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Application {

	}

}
