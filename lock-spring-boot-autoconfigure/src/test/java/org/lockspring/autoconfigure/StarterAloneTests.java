package org.lockspring.autoconfigure;

import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.TestJvm;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application without any of the libraries that are optional, as most have it.
 */
@UsesServer("redis")
class StarterAloneTests {

	/** What comes with the starter, apart from the client of Redis. */
	private static final String LIBRARIES = "(spring-boot(-autoconfigure|-data-redis|-data-commons|-netty|-persistence"
			+ "|-transaction)?|spring-(core|beans|context|context-support|aop|expression|tx|oxm)"
			+ "|spring-data-(redis|keyvalue|commons)|redis-authx-core|aspectjweaver|logback-[a-z]+|slf4j-api"
			+ "|log4j-[a-z0-9-]+|jul-to-slf4j|jspecify|micrometer-(commons|observation)|snakeyaml"
			+ "|jakarta.annotation-api|commons-logging|%s)-[0-9].*\\.jar";

	@ParameterizedTest
	@ValueSource(
			strings = { "lettuce-core|netty-[a-z-]+|reactor-core|reactive-streams", "jedis|commons-pool2|gson|json" })
	void startsAndLocksWithoutAWarningOfMissingLibraries(String client) {
		Pattern libraries = Pattern.compile(LIBRARIES.formatted(client));
		try (RedisServer server = RedisServer.start();
				TestJvm program = TestJvm.start((jar) -> libraries.matcher(jar).matches(), StarterAloneProgram.class,
						"--spring.application.name=app", "--spring.data.redis.port=" + server.port())) {
			program.awaitOutput("ENDED");
			assertThat(server.command("EXISTS", "app:{job}")).isEqualTo(0L);
			assertThat(server.command("EXISTS", "app:{job}:fence")).isEqualTo(1L);
			// That no guard checks the tokens is meant to be told
			assertThat(program.output().lines())
				.filteredOn((line) -> !line.contains("nothing checks their fencing tokens"))
				.noneMatch((line) -> line.contains(" ERROR ") || line.contains(" WARN "));
		}
	}

}
