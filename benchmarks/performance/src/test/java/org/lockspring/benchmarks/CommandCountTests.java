package org.lockspring.benchmarks;

import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;

/** What our locks cost the server and the caller. */
@UsesServer("redis")
class CommandCountTests {

	@ParameterizedTest
	@MethodSource("ours")
	void anAcquisitionAndItsRelease(Contestants contestant) throws Exception {
		try (RedisServer server = RedisServer.start()) {
			assertThat(CommandCount.of(contestant, server)).isEqualTo(Commands.OURS.get(contestant));
		}
	}

	static Set<Contestants> ours() {
		return Commands.OURS.keySet();
	}

}
