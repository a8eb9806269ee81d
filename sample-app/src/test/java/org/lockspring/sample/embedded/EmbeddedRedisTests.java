package org.lockspring.sample.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

import org.junit.jupiter.api.Test;
import org.lockspring.sample.FreePort;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class EmbeddedRedisTests {

	private final int port = FreePort.find();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(EmbeddedRedisConfiguration.class)
		.withPropertyValues("ledger.embedded-redis-port=" + this.port, "spring.datasource.url=jdbc:h2:mem:ledger");

	@Test
	void startsIfNoAddressIsSet() {
		this.runner.withPropertyValues("spring.data.redis.timeout=1s").run((context) -> {
			assertThat(context).hasSingleBean(EmbeddedRedis.class);
			assertThat(context.getBean(EmbeddedRedis.class).toString()).startsWith("started ");
		});
		assertThat(isFree()).isTrue();
	}

	@Test
	void staysAwayIfAnAddressIsSet() {
		this.runner.withPropertyValues("spring.data.redis.host=localhost")
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedis.class));
		this.runner.withPropertyValues("spring.data.redis.cluster.nodes=localhost:7000")
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void joinsTheOneThatRunsAndLeavesItRunning() throws IOException {
		try (EmbeddedRedis first = new EmbeddedRedis(this.port)) {
			assertThat(first.toString()).startsWith("started ");
			try (EmbeddedRedis second = new EmbeddedRedis(this.port)) {
				assertThat(second.toString()).startsWith("joined ");
			}
			assertThat(isFree()).isFalse();
		}
		assertThat(isFree()).isTrue();
	}

	@Test
	void failsIfSomethingElseListens() throws IOException {
		try (ServerSocket other = new ServerSocket(this.port, 1, InetAddress.getLoopbackAddress())) {
			assertThatIOException().isThrownBy(() -> new EmbeddedRedis(other.getLocalPort()))
				.withMessageContaining("is port " + this.port + " in use?");
		}
	}

	private boolean isFree() {
		try (ServerSocket socket = new ServerSocket(this.port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
