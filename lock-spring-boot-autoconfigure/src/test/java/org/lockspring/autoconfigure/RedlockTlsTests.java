package org.lockspring.autoconfigure;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.FreePorts;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Servers that encrypt, with a certificate that only an SSL bundle trusts.
 */
@UsesServer("redis")
class RedlockTlsTests {

	private static final LockRequest REQUEST = LockRequest.of("daily").withMode(LockMode.CORRECTNESS);

	@TempDir
	private static Path directory;

	private static Path certificate;

	private static final List<RedisServer> servers = new ArrayList<>();

	private static final List<Integer> ports = new ArrayList<>();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("spring.application.name=billing", "lock.redlock.bootstrap=true",
				"lock.redlock.node-timeout=1s", "lock.correctness.backend=redlock", "lock.efficiency.backend=redlock",
				"spring.ssl.bundle.pem.redis.truststore.certificate=file:" + certificate);

	@BeforeAll
	static void start() throws Exception {
		Path key = createCertificate();
		for (int i = 0; i < 3; i++) {
			int port = FreePorts.next();
			ports.add(port);
			servers.add(RedisServer.start("tls-port " + port, "tls-cert-file " + certificate, "tls-key-file " + key,
					"tls-ca-cert-file " + certificate, "tls-auth-clients no", "requirepass secret"));
		}
	}

	@AfterAll
	static void stop() {
		servers.forEach(RedisServer::close);
	}

	@BeforeEach
	void flush() {
		servers.forEach(RedisServer::flush);
	}

	@Test
	void bundleIsTrusted() {
		this.contextRunner.withPropertyValues(nodes("rediss"), "lock.redlock.ssl.bundle=redis")
			.run((context) -> assertThat(context).getBean(LockTemplate.class)
				.satisfies((template) -> assertThat((Object) template.execute(REQUEST, LockLease::fencingToken))
					.isNotNull()));
	}

	@Test
	void bundleAloneEncrypts() {
		this.contextRunner.withPropertyValues(nodes("redis"), "lock.redlock.ssl.bundle=redis")
			.run((context) -> assertThat(context).getBean(LockTemplate.class)
				.satisfies((template) -> assertThat((Object) template.execute(REQUEST, LockLease::isValid))
					.isEqualTo(true)));
	}

	@Test
	void unknownCertificateIsRefusedAndTold() {
		this.contextRunner.withPropertyValues(nodes("rediss"))
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire(REQUEST))
				.withMessageContaining("certification path"));
	}

	@Test
	void plainConnectionToAnEncryptedPortIsNotGranted() {
		this.contextRunner.withPropertyValues(nodes("redis"))
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire(REQUEST)));
	}

	private static String nodes(String scheme) {
		return "lock.redlock.nodes=" + ports.stream()
			.map((port) -> scheme + "://:secret@127.0.0.1:" + port)
			.collect(Collectors.joining(","));
	}

	/**
	 * Create a certificate for the loopback address.
	 * @return the file of its key
	 */
	private static Path createCertificate() throws Exception {
		Path store = directory.resolve("server.p12");
		String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
		Process process = new ProcessBuilder(keytool, "-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname",
				"CN=localhost", "-ext", "san=ip:127.0.0.1", "-storetype", "PKCS12", "-storepass", "changeit",
				"-keystore", store.toString())
			.inheritIO()
			.start();
		assertThat(process.waitFor()).isZero();
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(store)) {
			keys.load(in, "changeit".toCharArray());
		}
		Certificate created = keys.getCertificate("server");
		certificate = pem("CERTIFICATE", created.getEncoded());
		Key key = keys.getKey("server", "changeit".toCharArray());
		return pem("PRIVATE KEY", key.getEncoded());
	}

	private static Path pem(String name, byte[] content) throws Exception {
		String text = Base64.getMimeEncoder(64, "\n".getBytes()).encodeToString(content);
		return Files.writeString(directory.resolve(name.replace(' ', '-') + ".pem"),
				"-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(name, text, name));
	}

}
