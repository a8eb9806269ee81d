package org.lockspring.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Containers and compose services replace the properties. No engine is needed: servers of
 * this machine stand in for what would run in it.
 */
@UsesServer({ "etcd", "zookeeper" })
@EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")
class ServiceConnectionTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(ServiceConnectionAutoConfiguration.class, LockAutoConfiguration.class));

	@Test
	void etcdInAContainer() {
		this.contextRunner.withUserConfiguration(EtcdContainer.class)
			.withPropertyValues("lock.etcd.endpoints=http://127.0.0.1:1")
			.run((context) -> {
				assertThat(context.getBean(EtcdConnectionDetails.class).getEndpoints())
					.containsExactly(EtcdServer.shared().endpoint());
				assertThatItLocks(context);
			});
	}

	@Test
	void etcdInACompose() {
		for (String image : new String[] { "etcd", "quay.io/coreos/etcd:v3.5.21",
				"gcr.io/etcd-development/etcd:v3.6.0" }) {
			assertThatItLocks(new LocalService(image, Map.of(), 2379, EtcdServer.shared().port()));
		}
		assertThatItLocks(new LocalService("mine:1", Map.of("org.springframework.boot.service-connection", "etcd"),
				2379, EtcdServer.shared().port()));
	}

	@Test
	void etcdInAComposeWithTls() {
		try (EtcdServer server = EtcdServer.start("--auto-tls")) {
			String certificate = "file:" + server.data().resolve("fixtures/client/cert.pem");
			assertThatItLocks(new LocalService("etcd",
					Map.of("org.springframework.boot.sslbundle.pem.truststore.certificate", certificate), 2379,
					server.port()));
		}
	}

	@Test
	void zooKeeperInAContainer() throws Exception {
		try (TestingServer server = new TestingServer()) {
			ZooKeeperContainer.port = server.getPort();
			this.contextRunner.withUserConfiguration(ZooKeeperContainer.class)
				.withPropertyValues("lock.zookeeper.connect-string=127.0.0.1:1")
				.run(ServiceConnectionTests::assertThatItLocks);
		}
	}

	@Test
	void zooKeeperInACompose() throws Exception {
		try (TestingServer server = new TestingServer()) {
			assertThatItLocks(new LocalService("zookeeper:3.9", Map.of(), 2181, server.getPort()));
		}
	}

	@Test
	void containerWithoutAClientIsExplainedInTheWordsOfAPom() {
		this.contextRunner.withUserConfiguration(EtcdContainer.class)
			.withClassLoader(new FilteredClassLoader("io.etcd"))
			.withPropertyValues("lock.correctness.backend=etcd")
			.run((context) -> assertThat(
					new LockBackendNotAvailableFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
				.contains("<artifactId>jetcd-core</artifactId>"));
	}

	@Test
	void containersOfOthersAreLeftAlone() {
		this.contextRunner.withInitializer(new LocalService("redis", Map.of(), 6379, 6379)::announceTo)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(EtcdConnectionDetails.class)
				.doesNotHaveBean(ZooKeeperConnectionDetails.class));
	}

	private void assertThatItLocks(LocalService service) {
		this.contextRunner.withInitializer(service::announceTo).run(ServiceConnectionTests::assertThatItLocks);
	}

	private static void assertThatItLocks(AssertableApplicationContext context) {
		LockRequest request = LockRequest.of("k").withMode(LockMode.CORRECTNESS).withWaitTime(Duration.ofSeconds(20));
		Supplier<Long> token = () -> context.getBean(LockTemplate.class)
			.execute(request, (lease) -> lease.fencingToken().value());
		assertThat(token.get()).isLessThan(token.get());
	}

	@Configuration(proxyBeanMethods = false)
	static class EtcdContainer {

		@Bean
		@ServiceConnection("etcd")
		LocalContainer etcd() {
			return new LocalContainer("quay.io/coreos/etcd:v3.5.21", 2379, EtcdServer.shared().port());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ZooKeeperContainer {

		static int port;

		@Bean
		@ServiceConnection("zookeeper")
		LocalContainer zooKeeper() {
			return new LocalContainer("zookeeper:3.9", 2181, port);
		}

	}

}
