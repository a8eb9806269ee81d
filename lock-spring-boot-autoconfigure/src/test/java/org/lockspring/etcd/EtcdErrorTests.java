package org.lockspring.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.auth.Permission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** What the user is told, and users of etcd. */
@UsesServer("etcd")
@EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")
@ExtendWith(OutputCaptureExtension.class)
class EtcdErrorTests {

	private static final Duration TTL = Duration.ofMinutes(1);

	private final EtcdServer server = EtcdServer.start("--auth-token-ttl=2");

	@AfterEach
	void close() {
		this.server.close();
	}

	@Test
	void wrongEndpointIsNamedAtOnce() {
		try (EtcdProcess process = new EtcdProcess(Duration.ofSeconds(5), "http://127.0.0.1:1")) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> process.template.acquire("k"))
				.withMessageContainingAll("http://127.0.0.1:1", "'k'", "lock.etcd")
				.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
		}
	}

	@Test
	void ttlBelowASecondIsRoundedUpAndSaidOnce(CapturedOutput output) {
		try (EtcdProcess process = new EtcdProcess(Duration.ofSeconds(5), this.server.endpoint())) {
			for (int i = 0; i < 2; i++) {
				EtcdLease lease = process.granted(EtcdProcess.attempt(LockMode.EFFICIENCY, Duration.ofMillis(300)));
				assertThat(lease.validUntil() - System.nanoTime()).isLessThan(Duration.ofMillis(300).toNanos());
				assertThat(lease.release()).isCompletedWithValue(Ownership.HELD);
			}
			assertThat(output).containsOnlyOnce("PT0.3S, which etcd rounds up to PT1S");
			process.granted(EtcdProcess.attempt(LockMode.EFFICIENCY, Duration.ofSeconds(2))).release();
			assertThat(output).doesNotContain("PT2S");
		}
	}

	@Test
	void userIsLoggedInAgainWhenItsTokenHasExpiredOrTheServerWasRestarted() {
		enableUsers();
		try (Client client = client("app", "secret");
				EtcdLockBackend backend = new EtcdLockBackend(client, Duration.ofSeconds(5), "etcd");
				LockTemplate template = new LockTemplate(backend, new LockSettings("app"))) {
			template.execute("k", (lease) -> null);
			EtcdLease lease = (EtcdLease) ((Acquisition.Granted) backend
				.tryAcquire(EtcdProcess.attempt(LockMode.CORRECTNESS, TTL))).lease();
			long end = System.nanoTime() + Duration.ofSeconds(6).toNanos();
			await().until(() -> System.nanoTime() - end > 0);
			assertThat(lease.renew(TTL)).isEqualTo(Ownership.HELD);
			assertThat(lease.renew(TTL.plusSeconds(10))).isEqualTo(Ownership.HELD);
			assertThat(lease.release()).isCompletedWithValue(Ownership.HELD);
			this.server.restart();
			this.server.awaitHealth();
			await().ignoreExceptions().untilAsserted(() -> template.execute("k", (again) -> null));
		}
	}

	@Test
	void wrongPasswordMissingLoginAndMissingRightAreExplained() {
		enableUsers();
		assertRefused("app", "wrong", "app:{k}", "lock.etcd.user");
		assertRefused("", "", "app:{k}", "lock.etcd.user");
		assertRefused("app", "secret", "other:{k}", "readwrite", "lock.namespace");
	}

	private void assertRefused(String user, String password, String name, String... hints) {
		try (Client client = client(user, password);
				EtcdLockBackend backend = new EtcdLockBackend(client, Duration.ofSeconds(5), this.server.endpoint())) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> backend
					.tryAcquire(new LockAttempt(name, "me", LockMode.CORRECTNESS, Duration.ofSeconds(1), "'k'")))
				.withMessageContainingAll(hints)
				.satisfies((ex) -> assertThat(ex.isRetryable()).as(ex.getMessage()).isFalse());
		}
	}

	private Client client(String user, String password) {
		ClientBuilder builder = EtcdLockBackend.clientBuilder(Duration.ofSeconds(5)).endpoints(this.server.endpoint());
		return user.isEmpty() ? builder.build() : builder.user(bytes(user)).password(bytes(password)).build();
	}

	private void enableUsers() {
		try (Client client = client("", "")) {
			Auth auth = client.getAuthClient();
			auth.userAdd(bytes("root"), bytes("root")).join();
			auth.userGrantRole(bytes("root"), bytes("root")).join();
			auth.roleAdd(bytes("locks")).join();
			auth.roleGrantPermission(bytes("locks"), bytes("app:"), bytes("app;"), Permission.Type.READWRITE).join();
			auth.userAdd(bytes("app"), bytes("secret")).join();
			auth.userGrantRole(bytes("app"), bytes("locks")).join();
			auth.authEnable().join();
		}
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

}
