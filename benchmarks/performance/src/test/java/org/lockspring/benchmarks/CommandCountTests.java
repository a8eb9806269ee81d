package org.lockspring.benchmarks;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;

/** What our locks cost the server and the caller; more is a step back. */
@UsesServer("redis")
class CommandCountTests {

	@ParameterizedTest
	@CsvSource({ "EFFICIENCY, 2, 5, 1", "EFFICIENCY_ANNOTATION, 2, 5, 1", "CORRECTNESS, 2, 10, 2",
			"CORRECTNESS_ANNOTATION, 2, 10, 2" })
	void anAcquisitionAndItsRelease(Contestants contestant, double requests, double executed, double roundTrips)
			throws Exception {
		try (RedisServer server = RedisServer.start()) {
			assertThat(CommandCount.of(contestant, server)).isEqualTo(new CommandCount(requests, executed, roundTrips));
		}
	}

}
