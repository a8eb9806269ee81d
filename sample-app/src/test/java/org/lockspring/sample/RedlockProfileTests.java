package org.lockspring.sample;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.lockspring.core.LockBackends;
import org.lockspring.redis.RedlockBackend;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.MediaType;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest({ "spring.datasource.url=jdbc:h2:mem:redlock-ledger", "ledger.interest-cron=-" })
@ActiveProfiles("redlock")
class RedlockProfileTests {

	@DynamicPropertySource
	static void useServersOfItsOwn(DynamicPropertyRegistry registry) {
		String nodes = Stream.generate(FreePort::find)
			.distinct()
			.limit(5)
			.map((port) -> "redis://127.0.0.1:" + port)
			.collect(Collectors.joining(","));
		registry.add("lock.redlock.nodes", () -> nodes);
	}

	@Test
	void transfersAreLockedOnFiveServers(@Autowired WebApplicationContext context, @Autowired LockBackends backends,
			@Autowired Ledger ledger) {
		assertThat(backends.correctness()).isInstanceOf(RedlockBackend.class);
		for (int i = 0; i < 3; i++) {
			assertThat(MockMvcTester.from(context)
				.post()
				.uri("/transfers")
				.contentType(MediaType.APPLICATION_JSON)
				.content("{\"from\":\"alice\",\"to\":\"bob\",\"amount\":1}")).hasStatusOk();
		}
		assertThat(ledger.transfers()).hasSize(3).extracting(Transfer::fromToken).isSorted().doesNotHaveDuplicates();
	}

}
