package org.lockspring.sample;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
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
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.fencing.StaleFencingTokenException;
import org.lockspring.sample.Hold.Place;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs of the ledger on one PostgreSQL transfer between the same few accounts as fast
 * as they can, while one of them is stopped again and again for longer than its locks
 * live. With {@code -Dledger.transfers=10000} or {@code -Dledger.duration=5m} as long as
 * one likes; with {@code -Dledger.backends=redlock,etcd,zookeeper} on the stores of which
 * one likes to know.
 */
@DisabledOnOs(OS.WINDOWS)
class TwoJvmTransferTests {

	private static final Log logger = LogFactory.getLog(TwoJvmTransferTests.class);

	private static final int TRANSFERS = Integer.getInteger("ledger.transfers", 2000);

	private static final Duration DURATION = DurationStyle.detectAndParse(System.getProperty("ledger.duration", "0s"));

	/** By then, also a slow machine has made all transfers. */
	private static final Duration PATIENCE = Duration.ofMinutes(10);

	private static final int ACCOUNTS = 6;

	private static final long BALANCE = 100_000;

	private static EmbeddedPostgres postgres;

	private final JdbcClient jdbc = JdbcClient.create(postgres.getPostgresDatabase());

	private final Ledger ledger = new Ledger(this.jdbc);

	@BeforeAll
	static void startDatabase() throws IOException {
		postgres = EmbeddedPostgres.builder().setPort(FreePort.find()).setServerConfig("fsync", "off").start();
	}

	@AfterAll
	static void stopDatabase() throws IOException {
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
		return LedgerStore.available(System.getProperty("ledger.backends", "redis,jdbc"));
	}

	@Test
	void loseUpdatesInEfficiency() throws Exception {
		Outcome outcome = run(backends().get(0), LockMode.EFFICIENCY, 0, 8);
		assertThat(outcome.failed()).isEmpty();
		assertThat(balances()).as("balances").isNotEqualTo(balancesByTransfers());
		assertThatWhatWasToldIsWritten(outcome);
	}

	private Outcome run(String backend, LockMode mode, int minTransfers, int minStops) throws Exception {
		try (LedgerStore store = LedgerStore.start(backend);
				LedgerJvm stopped = new LedgerJvm(arguments(backend, store, mode));
				LedgerJvm running = new LedgerJvm(arguments(backend, store, mode))) {
			stopped.awaitReady();
			running.awaitReady();
			long start = System.nanoTime();
			stopped.start();
			running.start();
			int stops = 0;
			while (stops < minStops || stopped.made().size() + running.made().size() < minTransfers
					|| since(start).compareTo(DURATION) < 0) {
				assertThat(since(start)).isLessThan(DURATION.plus(PATIENCE));
				ThreadLocalRandom random = ThreadLocalRandom.current();
				Thread.sleep(random.nextInt(100, 500));
				Duration pause = store.blocked().plusMillis(random.nextInt(200, 500));
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
					stopped.made().size(), running.made().size(), since(start).toSeconds(), stops, outcome.refused()));
			logger.info("%s: balances %s, by transfers %s".formatted(mode, balances(), balancesByTransfers()));
			return outcome;
		}
	}

	private static Duration since(long start) {
		return Duration.ofNanos(System.nanoTime() - start);
	}

	private static List<String> arguments(String backend, LedgerStore store, LockMode mode) {
		List<String> arguments = new ArrayList<>(store.arguments());
		arguments.addAll(List.of("--spring.profiles.active=" + backend, "--worker.mode=" + mode,
				"--lock.ttl=" + store.ttl().toMillis() + "ms", "--lock.wait-time=2s", "--ledger.interest-cron=-",
				"--logging.level.root=warn", "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
				"--spring.sql.init.mode=never"));
		return arguments;
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
