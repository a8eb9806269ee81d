package org.lockspring.autoconfigure;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.UsesServer;
import org.lockspring.zookeeper.ZooKeeperLockBackend;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@UsesServer("zookeeper")
class ZooKeeperLockConfigurationTests {

	private static TestingServer server;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	private final ApplicationContextRunner withClient = this.contextRunner.withBean(CuratorFramework.class,
			() -> CuratorFrameworkFactory.builder()
				.connectString(server.getConnectString())
				.namespace("mine")
				.retryPolicy(new RetryOneTime(100))
				.build(),
			(bean) -> bean.setInitMethodName("start"));

	@BeforeAll
	static void start() throws Exception {
		server = new TestingServer();
	}

	@AfterAll
	static void close() throws Exception {
		server.close();
	}

	@Test
	void connectStringIsEnough() {
		this.contextRunner.withPropertyValues("lock.zookeeper.connect-string=" + server.getConnectString())
			.run((context) -> assertThatItLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void connectionDetailsReplaceTheProperties() {
		ZooKeeperConnectionDetails details = () -> server.getConnectString();
		this.contextRunner.withBean(ZooKeeperConnectionDetails.class, () -> details)
			.run((context) -> assertThatItLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void clientOfTheApplicationIsUsedWithItsNamespace() {
		this.withClient.withPropertyValues("lock.efficiency.backend=zookeeper", "lock.correctness.backend=zookeeper")
			.run((context) -> {
				assertThat(context).hasSingleBean(CuratorFramework.class)
					.doesNotHaveBean(ZooKeeperConnectionDetails.class);
				assertThatItLocks(context.getBean(LockTemplate.class));
				assertThat(context.getBean(CuratorFramework.class).checkExists().forPath("/lock")).isNotNull();
			});
	}

	@Test
	void clientOfTheApplicationAloneMakesItNoCandidate() {
		this.withClient
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ZooKeeperLockBackend.class));
	}

	@Test
	void nameWithoutAddressIsExplained() {
		this.contextRunner.withPropertyValues("lock.correctness.backend=zookeeper")
			.run((context) -> assertThat(
					new LockBackendNotAvailableFailureAnalyzer().analyze(context.getStartupFailure()).getAction())
				.contains("lock.zookeeper.connect-string"));
	}

	@Test
	void withoutAddressItIsNoCandidate() {
		this.contextRunner
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ZooKeeperLockBackend.class));
	}

	@Test
	void wrongAddressStartsAndTheCallNamesIt() {
		this.contextRunner.withPropertyValues("lock.zookeeper.connect-string=127.0.0.1:1", "lock.zookeeper.timeout=1s")
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k"))
				.withMessageContaining("127.0.0.1:1")
				.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue()));
	}

	@Test
	void wrongPasswordIsExplained() throws Exception {
		try (TestingServer guarded = new TestingServer()) {
			ApplicationContextRunner app = this.contextRunner.withPropertyValues(
					"lock.zookeeper.connect-string=" + guarded.getConnectString(), "lock.zookeeper.user=app");
			app.withPropertyValues("lock.zookeeper.password=right")
				.run((context) -> assertThatItLocks(context.getBean(LockTemplate.class)));
			app.withPropertyValues("lock.zookeeper.password=wrong")
				.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k"))
					.withMessageContaining("lock.zookeeper.password")
					.satisfies((ex) -> assertThat(ex.isRetryable()).isFalse()));
		}
	}

	@Test
	void missingClientIsExplainedInTheWordsOfAPom() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.apache.curator"))
			.withPropertyValues("lock.efficiency.backend=zookeeper", "lock.zookeeper.connect-string=127.0.0.1:1")
			.run((context) -> {
				FailureAnalysis analysis = new LockBackendNotAvailableFailureAnalyzer()
					.analyze(context.getStartupFailure());
				assertThat(analysis.getAction()).contains("<groupId>org.apache.curator</groupId>",
						"<artifactId>curator-framework</artifactId>", "<version>5.9.0</version>",
						"lock.zookeeper.connect-string");
			});
	}

	private static void assertThatItLocks(LockTemplate template) {
		template.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS), (lease) -> {
			assertThat(lease.fencingToken()).isNotNull();
			return null;
		});
	}

}
