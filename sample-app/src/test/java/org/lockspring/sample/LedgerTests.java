package org.lockspring.sample;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockTemplate;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest({ "spring.datasource.url=jdbc:h2:mem:ledger", "ledger.interest-cron=-", "lock.wait-time=3s" })
@ExtendWith(OutputCaptureExtension.class)
class LedgerTests {

	@Autowired
	private Ledger ledger;

	@Autowired
	private InterestJob interestJob;

	@Autowired
	private LockTemplate lockTemplate;

	@Autowired
	private StringRedisTemplate redis;

	@Autowired
	private JdbcClient jdbc;

	private MockMvcTester mvc;

	@DynamicPropertySource
	static void useRedisOfItsOwn(DynamicPropertyRegistry registry) {
		int port = FreePort.find();
		registry.add("ledger.embedded-redis-port", () -> port);
	}

	@BeforeEach
	void resetAccounts(@Autowired WebApplicationContext context) {
		this.mvc = MockMvcTester.from(context);
		this.jdbc.sql("delete from transfer").update();
		this.jdbc.sql("update account set balance = 1000").update();
	}

	@Test
	void transferMovesMoney() {
		assertThat(transfer("", "alice", "bob", 25)).hasStatusOk();
		assertThat(this.ledger.accounts()).containsExactly(new Account("alice", 975), new Account("bob", 1025),
				new Account("carol", 1000));
	}

	@Test
	void tokensRiseWithEachTransfer() {
		assertThat(transfer("", "alice", "bob", 1)).hasStatusOk();
		assertThat(transfer("", "bob", "alice", 1)).hasStatusOk();
		Transfer first = this.ledger.transfers().get(0);
		Transfer second = this.ledger.transfers().get(1);
		assertThat(second.toToken()).isGreaterThan(first.fromToken());
		assertThat(second.fromToken()).isGreaterThan(first.toToken());
	}

	@Test
	void overdraftIsRefused() {
		assertProblem(transfer("", "alice", "bob", 1001), HttpStatus.CONFLICT, "Transfer refused",
				"alice has 1000, not 1001");
		assertThat(this.ledger.transfers()).isEmpty();
	}

	@Test
	void staleHolderIsRefusedAndWritesNothing() {
		CompletableFuture<MvcTestResult> stale = CompletableFuture
			.supplyAsync(() -> transfer("?pause=4s", "alice", "bob", 100));
		await().until(() -> this.redis.keys("*alice*").size() > 0);
		assertThat(transfer("", "alice", "bob", 25)).hasStatusOk();
		assertThat(stale).isNotDone();
		assertProblem(stale.join(), HttpStatus.CONFLICT, "Lock lost", "refused fencing token");
		assertThat(this.ledger.accounts()).contains(new Account("alice", 975), new Account("bob", 1025));
		assertThat(this.ledger.transfers()).extracting(Transfer::amount).containsExactly(25L);
	}

	@Test
	void transferOfBusyAccountIsRefused() {
		LockRequest alice = LockRequest.of("account:alice").withMode(LockMode.CORRECTNESS);
		LockLease lease = CompletableFuture.supplyAsync(() -> this.lockTemplate.acquire(alice)).join();
		try {
			assertProblem(transfer("", "alice", "bob", 25), HttpStatus.CONFLICT, "Account busy", "account:alice");
		}
		finally {
			lease.close();
		}
	}

	@Test
	void interestIsComputedOncePerTick(CapturedOutput output) {
		this.interestJob.computeInterest();
		this.interestJob.computeInterest();
		assertThat(output).containsOnlyOnce("Interest due on 3000: 60");
	}

	private MvcTestResult transfer(String query, String from, String to, long amount) {
		return this.mvc.post()
			.uri("/transfers" + query)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"from\": \"%s\", \"to\": \"%s\", \"amount\": %d}".formatted(from, to, amount))
			.exchange();
	}

	private static void assertProblem(MvcTestResult result, HttpStatus status, String title, String detail) {
		assertThat(result).hasStatus(status).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(result).bodyJson().extractingPath("$.title").isEqualTo(title);
		assertThat(result).bodyJson().extractingPath("$.detail").asString().contains(detail);
	}

}
