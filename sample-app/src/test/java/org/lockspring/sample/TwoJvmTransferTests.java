package org.lockspring.sample;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.fencing.StaleFencingTokenException;
import org.lockspring.sample.Hold.Place;
import org.lockspring.sample.embedded.EmbeddedRedis;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs of the ledger on one PostgreSQL transfer between the same few accounts as fast
 * as they can, while one of them is stopped again and again for longer than its locks
 * live. With {@code -Dledger.transfers=10000} as long as one likes; with
 * {@code -Dledger.backends=jdbc} on the backends of which one likes to know.
 */
@DisabledOnOs(OS.WINDOWS)
@Timeout(600)
class TwoJvmTransferTests {

	private static final Log logger = LogFactory.getLog(TwoJvmTransferTests.class);

	private static final int TRANSFERS = Integer.getInteger("ledger.transfers", 2000);

	private static final Duration TTL = Duration.ofMillis(300);

	private static final int ACCOUNTS = 6;

	private static final long BALANCE = 100_000;

	private static EmbeddedPostgres postgres;

	private static EmbeddedRedis redis;

	private static int redisPort;

	private final JdbcClient jdbc = JdbcClient.create(postgres.getPostgresDatabase());

	private final Ledger ledger = new Ledger(this.jdbc);

	@BeforeAll
	static void startServers() throws IOException {
		postgres = EmbeddedPostgres.builder().setPort(FreePort.find()).setServerConfig("fsync", "off").start();
		redisPort = FreePort.find();
		redis = new EmbeddedRedis(redisPort);
	}

	@AfterAll
	static void stopServers() throws IOException {
		redis.close();
		postgres.close();
	}

	@BeforeEach
	void createAccounts() {
		this.jdbc.sql("drop table if exists transfer, account, lock_fence, lock_entry").update();
		// Two that create a table at a time can fail in PostgreSQL
		new ResourceDatabasePopulator(new ClassPathResource("schema.sql"),
				new ClassPathResource("org/lockspring/jdbc/schema-fence-postgresql.sql"),
				new ClassPathResource("org/lockspring/jdbc/schema-lock-postgresql.sql"))
			.execute(postgres.getPostgresDatabase());
		for (int i = 0; i < ACCOUNTS; i++) {
			this.jdbc.sql("insert into account (id, balance) values (:id, :balance)")
				.param("id", "account-" + i)
				.param("balance", BALANCE)
				.update();
		}
	}

	@ParameterizedTest
	@MethodSource("backends")
	void loseNoUpdateInCorrectness(String backend) throws Exception {
		Outcome outcome = run(backend, LockMode.CORRECTNESS, TRANSFERS, 12);
		assertThat(outcome.failed()).isEmpty();
		assertThat(balances()).as("balances").isEqualTo(balancesByTransfers());
		assertThat(balances().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(ACCOUNTS * BALANCE);
		assertThatWhatWasToldIsWritten(outcome);
		assertThatTokensRise();
		assertThat(outcome.refused(StaleFencingTokenException.class)).isPositive();
		// Two of the three places are before the last look at the lease
		assertThat(outcome.refused(LockLostException.class, StaleFencingTokenException.class))
			.as("holders that were stopped and refused")
			.isGreaterThanOrEqualTo(outcome.stops() / 2);
	}

	static List<String> backends() {
		return List.of(System.getProperty("ledger.backends", "redis,jdbc").split(","));
	}

	@Test
	void loseUpdatesInEfficiency() throws Exception {
		Outcome outcome = run(backends().get(0), LockMode.EFFICIENCY, 0, 8);
		assertThat(outcome.failed()).isEmpty();
		assertThat(balances()).as("balances").isNotEqualTo(balancesByTransfers());
		assertThatWhatWasToldIsWritten(outcome);
	}

	private Outcome run(String backend, LockMode mode, int minTransfers, int minStops) throws Exception {
		try (LedgerJvm stopped = new LedgerJvm(arguments(backend, mode));
				LedgerJvm running = new LedgerJvm(arguments(backend, mode))) {
			stopped.awaitReady();
			running.awaitReady();
			long start = System.nanoTime();
			stopped.start();
			running.start();
			int stops = 0;
			while (stops < minStops || stopped.made().size() + running.made().size() < minTransfers) {
				ThreadLocalRandom random = ThreadLocalRandom.current();
				Thread.sleep(random.nextInt(100, 500));
				Duration pause = TTL.plusMillis(random.nextInt(200, 500));
				if (stops % 4 < Place.values().length) {
					stopped.stop(Place.values()[stops % 4], pause);
				}
				else {
					stopped.stop(pause);
				}
				stops++;
			}
			stopped.finish();
			running.finish();
			Outcome outcome = new Outcome(stops, new HashSet<>(), new TreeMap<>(), new HashSet<>());
			outcome.add(stopped);
			outcome.add(running);
			logger.info("%s, %s: %d + %d transfers in %d s, %d stops; refused %s".formatted(backend, mode,
					stopped.made().size(), running.made().size(),
					Duration.ofNanos(System.nanoTime() - start).toSeconds(), stops, outcome.refused()));
			logger.info("%s: balances %s, by transfers %s".formatted(mode, balances(), balancesByTransfers()));
			return outcome;
		}
	}

	private static List<String> arguments(String backend, LockMode mode) {
		return List.of("--spring.profiles.active=" + backend, "--worker.mode=" + mode,
				"--lock.ttl=" + TTL.toMillis() + "ms", "--lock.wait-time=2s", "--ledger.interest-cron=-",
				"--logging.level.root=warn", "--spring.data.redis.host=127.0.0.1",
				"--spring.data.redis.port=" + redisPort,
				"--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
				"--spring.sql.init.mode=never");
	}

	private void assertThatWhatWasToldIsWritten(Outcome outcome) {
		Set<Long> written = this.ledger.transfers().stream().map(Transfer::id).collect(Collectors.toSet());
		Set<Long> lost = new HashSet<>(outcome.made());
		lost.removeAll(written);
		assertThat(lost).as("told as made, and not written").isEmpty();
		written.removeAll(outcome.made());
		assertThat(written).as("written, and told as refused").isEmpty();
	}

	private Map<String, Long> balances() {
		return new TreeMap<>(this.ledger.accounts().stream().collect(Collectors.toMap(Account::id, Account::balance)));
	}

	private Map<String, Long> balancesByTransfers() {
		Map<String, Long> balances = new TreeMap<>(balances());
		balances.replaceAll((account, balance) -> BALANCE);
		for (Transfer transfer : this.ledger.transfers()) {
			balances.merge(transfer.from(), -transfer.amount(), Long::sum);
			balances.merge(transfer.to(), transfer.amount(), Long::sum);
		}
		return balances;
	}

	private void assertThatTokensRise() {
		Map<String, Long> newest = new HashMap<>();
		for (Transfer transfer : this.ledger.transfers()) {
			assertThat(transfer.fromToken()).as(transfer.toString())
				.isGreaterThan(newest.getOrDefault(transfer.from(), 0L));
			assertThat(transfer.toToken()).as(transfer.toString())
				.isGreaterThan(newest.getOrDefault(transfer.to(), 0L));
			newest.put(transfer.from(), transfer.fromToken());
			newest.put(transfer.to(), transfer.toToken());
		}
	}

	/**
	 * What both JVMs told.
	 */
	private record Outcome(int stops, Set<Long> made, Map<String, Integer> refused, Set<String> failed) {

		void add(LedgerJvm jvm) {
			this.made.addAll(jvm.made());
			jvm.refused().forEach((type, count) -> this.refused.merge(type, count, Integer::sum));
			this.failed.addAll(jvm.failed());
		}

		int refused(Class<?>... types) {
			int count = 0;
			for (Class<?> type : types) {
				count += this.refused.getOrDefault(type.getSimpleName(), 0);
			}
			return count;
		}

	}

}
