package org.lockspring.autoconfigure;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockTemplate;
import org.lockspring.etcd.EtcdLockBackend;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@UsesServer("etcd")
@EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")
class EtcdLockConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, SslAutoConfiguration.class));

	private final ApplicationContextRunner withRedis = this.contextRunner
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

	@Test
	void endpointsAreEnough() {
		for (String property : List.of("lock.etcd.endpoints", "lock.etcd.endpoints[0]")) {
			this.contextRunner.withPropertyValues(property + "=" + EtcdServer.shared().endpoint())
				.run((context) -> assertThatItLocks(context.getBean(LockTemplate.class)));
		}
		this.contextRunner.withPropertyValues("lock.etcd.endpoints=127.0.0.1:" + EtcdServer.shared().port())
			.run((context) -> assertThatItLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void connectionDetailsReplaceTheProperties() {
		EtcdConnectionDetails details = () -> List.of(EtcdServer.shared().endpoint());
		this.contextRunner.withBean(EtcdConnectionDetails.class, () -> details)
			.run((context) -> assertThatItLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void withoutEndpointsItIsNoCandidate() {
		this.withRedis.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EtcdLockBackend.class));
	}

	@Test
	void besideRedisTheStartSaysWhatToSet() {
		this.withRedis.withPropertyValues("lock.etcd.endpoints=http://127.0.0.1:1")
			.run((context) -> assertThat(
					new NoUniqueLockBackendFailureAnalyzer().analyze(context.getStartupFailure()).getDescription())
				.contains("redis", "etcd"));
		this.withRedis
			.withPropertyValues("lock.etcd.endpoints=" + EtcdServer.shared().endpoint(), "lock.efficiency.backend=etcd",
					"lock.correctness.backend=etcd")
			.run((context) -> assertThatItLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void wrongEndpointStartsAndTheCallNamesIt() {
		this.contextRunner.withPropertyValues("lock.etcd.endpoints=http://127.0.0.1:1", "lock.etcd.timeout=1s")
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k"))
				.withMessageContaining("http://127.0.0.1:1"));
	}

	@Test
	void missingClientIsExplainedInTheWordsOfAPom() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("io.etcd"))
			.withPropertyValues("lock.correctness.backend=etcd", "lock.etcd.endpoints=http://127.0.0.1:1")
			.run((context) -> {
				FailureAnalysis analysis = new LockBackendNotAvailableFailureAnalyzer()
					.analyze(context.getStartupFailure());
				assertThat(analysis.getAction()).contains("<groupId>io.etcd</groupId>",
						"<artifactId>jetcd-core</artifactId>", "<version>0.8.7</version>", "lock.etcd.endpoints");
			});
	}

	@Test
	void sslBundleIsUsed() {
		try (EtcdServer server = EtcdServer.start("--auto-tls")) {
			String certificate = "file:" + server.data().resolve("fixtures/client/cert.pem");
			this.contextRunner
				.withPropertyValues("lock.etcd.endpoints=" + server.endpoint(), "lock.etcd.ssl.bundle=etcd",
						"spring.ssl.bundle.pem.etcd.truststore.certificate=" + certificate)
				.run((context) -> assertThatItLocks(context.getBean(LockTemplate.class)));
			this.contextRunner.withPropertyValues("lock.etcd.endpoints=" + server.endpoint())
				.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k")));
		}
	}

	private static void assertThatItLocks(LockTemplate template) {
		template.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS), (lease) -> {
			assertThat(lease.fencingToken()).isNotNull();
			return null;
		});
	}

}
