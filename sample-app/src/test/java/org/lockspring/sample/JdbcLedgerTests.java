package org.lockspring.sample;

import org.junit.jupiter.api.Test;
import org.lockspring.sample.embedded.EmbeddedRedis;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.ActiveProfiles;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest({ "spring.datasource.url=jdbc:h2:mem:jdbc-ledger", "ledger.interest-cron=-" })
@ActiveProfiles("jdbc")
class JdbcLedgerTests {

	@Test
	void databaseAloneKeepsLocksAndMoney(@Autowired TransferService service, @Autowired Ledger ledger,
			@Autowired JdbcClient jdbc, @Autowired ObjectProvider<EmbeddedRedis> redis) {
		Transfer first = service.transfer("alice", "bob", 25);
		Transfer second = service.transfer("bob", "alice", 5);
		assertThat(second.fromToken()).isGreaterThan(first.toToken());
		assertThat(second.toToken()).isGreaterThan(first.fromToken());
		assertThat(ledger.accounts()).contains(new Account("alice", 980), new Account("bob", 1020));
		assertThat(jdbc.sql("select name from lock_entry order by name").query(String.class).list())
			.containsExactly("ledger:{account:alice}", "ledger:{account:bob}");
		assertThat(redis.getIfAvailable()).isNull();
	}

}
