package org.lockspring.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.lockspring.LockRequest;
import org.lockspring.annotation.DistributedLock;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What the start says of a ttl that a store cannot keep as it is asked. */
@UsesServer({ "etcd", "zookeeper" })
@EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")
@ExtendWith(OutputCaptureExtension.class)
class RequestCheckTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class));

	private final ApplicationContextRunner onEtcd = this.contextRunner
		.withPropertyValues("lock.etcd.endpoints=http://127.0.0.1:1", "lock.ttl=20s");

	@Test
	void etcdWarnsOfAFractionOfASecondOncePerTtlBeforeAnyUse(CapturedOutput output) {
		this.onEtcd.withBean(Fraction.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(warnings(output)).singleElement()
				.asString()
				.contains("Fraction#", "PT1.5S", "rounds up to PT2S");
		});
	}

	@Test
	void etcdSaysTheSameAtTheFirstUseOnlyIfNobodyAskedAtTheStart(CapturedOutput output) {
		this.onEtcd.withPropertyValues("lock.etcd.endpoints=" + EtcdServer.shared().endpoint())
			.withBean(Fraction.class)
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				LockRequest request = LockRequest.of("k").withWaitTime(Duration.ofSeconds(20));
				template.execute(request.withTtl(Duration.ofMillis(1500)), (lease) -> null);
				assertThat(warnings(output)).hasSize(1);
				template.execute(request.withTtl(Duration.ofMillis(2500)), (lease) -> null);
				assertThat(warnings(output)).hasSize(2).last().asString().contains("PT2.5S");
			});
	}

	@Test
	void wholeSecondsAndTheDefaultAreNotWarnedOf(CapturedOutput output) {
		this.onEtcd.withBean(Seconds.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(warnings(output)).isEmpty();
		});
	}

	@Test
	void defaultThatAnAnnotationLeavesOpenIsCheckedToo(CapturedOutput output) {
		this.onEtcd.withPropertyValues("lock.ttl=800ms").withBean(Seconds.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(warnings(output)).singleElement().asString().contains("Seconds#byDefault", "PT0.8S", "PT1S");
		});
	}

	@Test
	void zooKeeperWarnsOfATtlThatIsShorterThanTheSession(CapturedOutput output) throws Exception {
		try (TestingServer server = new TestingServer()) {
			this.contextRunner
				.withPropertyValues("lock.zookeeper.connect-string=" + server.getConnectString(),
						"lock.zookeeper.session-timeout=10s", "lock.ttl=10s")
				.withBean(Fraction.class)
				.withBean(Seconds.class)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					// As soon as a session was granted
					await().untilAsserted(() -> assertThat(warnings(output)).hasSize(2)
						.anySatisfy((line) -> assertThat(line).contains("Fraction#", "PT1.5S", "PT10S",
								"lock.zookeeper.session-timeout"))
						.anySatisfy((line) -> assertThat(line).contains("Seconds#two", "PT2S")));
				});
		}
	}

	@Test
	void zooKeeperThatIsAwayDoesNotHinderTheStart() {
		this.contextRunner.withPropertyValues("lock.zookeeper.connect-string=127.0.0.1:1", "lock.zookeeper.timeout=1s")
			.withBean(Fraction.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void redlockRefusesATtlBeyondTheQuarantine() {
		ApplicationContextRunner onRedlock = this.contextRunner
			.withPropertyValues("lock.redlock.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2,redis://127.0.0.1:3",
					"lock.redlock.quarantine=2s")
			.withBean(Seconds.class);
		onRedlock.withPropertyValues("lock.ttl=2s").run((context) -> assertThat(context).hasNotFailed());
		onRedlock.withPropertyValues("lock.ttl=3s").run((context) -> {
			FailureAnalysis analysis = new InvalidLockDefinitionFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("Seconds#byDefault", "PT3S", "PT2S");
			assertThat(analysis.getAction()).contains("lock.redlock.quarantine");
		});
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.getOut()
			.lines()
			.filter((line) -> line.contains(" WARN ") && line.contains("LockBackend"))
			.toList();
	}

	public static class Fraction {

		@DistributedLock(key = "'job:' + #p0", ttl = "1500ms")
		public void one(String id) {
		}

		@DistributedLock(key = "other", ttl = "1500ms")
		public void other() {
		}

	}

	public static class Seconds {

		@DistributedLock(key = "two", ttl = "2s")
		public void two() {
		}

		@DistributedLock("default")
		public void byDefault() {
		}

	}

}
