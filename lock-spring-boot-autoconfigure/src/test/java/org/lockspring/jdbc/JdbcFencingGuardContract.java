package org.lockspring.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.FencingToken;
import org.lockspring.fencing.StaleFencingTokenException;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * What the guard does on every database.
 */
abstract class JdbcFencingGuardContract {

	static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<HikariDataSource> pools = new ArrayList<>();

	private DataSource database;

	private HikariDataSource pool;

	private JdbcFencingGuard guard;

	private JdbcTemplate jdbc;

	/** Create an empty database without a pool. */
	abstract DataSource freshDatabase();

	/** The platform in the name of the schema file. */
	abstract String platform();

	/** What makes a connection give up waiting for a row lock after a second or less. */
	abstract String shortLockTimeout();

	@BeforeEach
	void createTable() {
		this.database = freshDatabase();
		new ResourceDatabasePopulator(new ClassPathResource("schema-fence-" + platform() + ".sql", FenceDialect.class))
			.execute(this.database);
		this.pool = pool(2);
		this.guard = guard(this.pool, "redis", TIMEOUT);
		this.jdbc = new JdbcTemplate(this.pool);
	}

	@AfterEach
	void close() {
		this.threads.shutdownNow();
		this.pools.forEach(HikariDataSource::close);
	}

	private HikariDataSource pool(int size) {
		HikariDataSource created = new HikariDataSource();
		created.setDataSource(this.database);
		created.setMaximumPoolSize(size);
		created.setConnectionTimeout(30_000);
		this.pools.add(created);
		return created;
	}

	private static JdbcFencingGuard guard(DataSource dataSource, String namespace, Duration timeout) {
		return new JdbcFencingGuard(dataSource, namespace, timeout);
	}

	private static FencingToken token(long value) {
		return new FencingToken(value, "owner-of-" + value);
	}

	private TransactionTemplate transaction(DataSource dataSource) {
		return new TransactionTemplate(new JdbcTransactionManager(dataSource));
	}

	private Long stored(String resource) {
		return this.jdbc
			.query("SELECT token FROM lock_fence WHERE resource = ?", (rs, index) -> rs.getLong(1), resource)
			.stream()
			.findFirst()
			.orElse(null);
	}

	@Test
	void newerTokenIsAcceptedAndRemembered() {
		this.guard.claim("r", token(5));
		assertThat(stored("r")).isEqualTo(5);
		this.guard.claim("r", token(9));
		assertThat(stored("r")).isEqualTo(9);
		this.guard.claim("other", token(1));
		assertThat(stored("other")).isEqualTo(1);
	}

	@Test
	void olderTokenIsRefusedAndTheNewestIsTold() {
		this.guard.claim("r", token(9));
		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> this.guard.claim("r", token(8)))
			.withMessageContainingAll("'r'", "8", "9", "later acquisition")
			.satisfies((ex) -> assertThat(ex.getNewest()).isEqualTo(token(9)))
			.satisfies((ex) -> assertThat(ex.getPresented()).isEqualTo(token(8)));
		assertThat(stored("r")).isEqualTo(9);
	}

	@Test
	void sameAcquisitionClaimsAgain() {
		this.guard.claim("r", token(9));
		this.guard.claim("r", token(9));
		assertThat(stored("r")).isEqualTo(9);
	}

	@Test
	void equalTokenOfAnotherAcquisitionIsRefused() {
		this.guard.claim("r", new FencingToken(9, "a"));
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.guard.claim("r", new FencingToken(9, "b")))
			.withMessageContainingAll("two acquisitions", "'a'", "'b'");
	}

	@Test
	void ownersThatDifferInCaseAreTwoAcquisitions() {
		this.guard.claim("r", new FencingToken(9, "a"));
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.guard.claim("r", new FencingToken(9, "A")));
	}

	@Test
	void equalTokenOfAnUnknownAcquisitionIsAccepted() {
		this.guard.claim("r", new FencingToken(9, "a"));
		this.guard.claim("r", new FencingToken(9));
		this.guard.claim("r", new FencingToken(9, "a"));
	}

	@Test
	void tokenOfAnotherBackendIsRefusedUntilTheOperatorSaysSo() {
		this.guard.claim("r", token(9));
		JdbcFencingGuard moved = guard(this.pool, "etcd", TIMEOUT);
		String statement = "DELETE FROM lock_fence WHERE namespace = 'redis'";
		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> moved.claim("r", token(1000)))
			.withMessageContainingAll("'redis'", "'etcd'", statement);
		this.jdbc.execute(statement);
		moved.claim("r", token(3));
		assertThat(stored("r")).isEqualTo(3);
	}

	@Test
	void namesThatOnlyACollationTakesForEqualAreTwoResources() {
		List<String> names = List.of("order", "Order", "order ", "\u00f6rder", "O\u0308rder", "\u5e97", "#sha256:x",
				"a\u0000b", "a\ud800", "a\ud801", "a?");
		for (int i = 0; i < names.size(); i++) {
			this.guard.claim(names.get(i), token(100 - i));
		}
		assertThat(this.jdbc.queryForObject("SELECT COUNT(*) FROM lock_fence", Integer.class)).isEqualTo(names.size());
	}

	@Test
	void longNamesDoNotCollide() {
		String start = "x".repeat(1 << 20);
		this.guard.claim(start + "a", token(9));
		this.guard.claim(start + "b", token(8));
		this.guard.claim("x".repeat(256), token(7));
		this.guard.claim("x".repeat(257), token(6));
		this.guard.claim("\u00e4".repeat(200) + "a", new FencingToken(5, "\u00e4".repeat(100)));
		this.guard.claim("\u00e4".repeat(200) + "b", new FencingToken(4, "\u00e4".repeat(101)));
		assertThat(this.jdbc.queryForObject("SELECT COUNT(*) FROM lock_fence", Integer.class)).isEqualTo(6);
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.guard.claim(start + "a", token(8)));
	}

	@Test
	void firstClaimersAtOnceMakeOneRowAndTheNewestWins() throws Exception {
		HikariDataSource three = pool(3);
		for (int round = 0; round < 20; round++) {
			String resource = "r" + round;
			CyclicBarrier start = new CyclicBarrier(3);
			List<Future<Throwable>> claims = new ArrayList<>();
			for (int i = 1; i <= 3; i++) {
				JdbcFencingGuard own = guard(three, "redis", TIMEOUT);
				FencingToken token = token(i);
				claims.add(this.threads.submit(() -> {
					start.await();
					return catchThrowable(() -> own.claim(resource, token));
				}));
			}
			for (int i = 0; i < 3; i++) {
				Throwable outcome = claims.get(i).get();
				if (i == 2) {
					assertThat(outcome).isNull();
				}
				else if (outcome != null) {
					assertThat(outcome).isInstanceOf(StaleFencingTokenException.class);
				}
			}
			assertThat(stored(resource)).isEqualTo(3);
		}
		assertThat(this.jdbc.queryForObject("SELECT COUNT(*) FROM lock_fence", Integer.class)).isEqualTo(20);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void claimWaitsForAnOlderClaimersTransaction(boolean commits) throws Exception {
		this.guard.claim("r", token(1));
		try (OpenClaim older = new OpenClaim("r", token(2))) {
			Future<?> newer = this.threads.submit(() -> this.guard.claim("r", token(3)));
			assertThat(isDoneSoon(newer)).isFalse();
			older.end(commits);
			newer.get(10, TimeUnit.SECONDS);
			assertThat(stored("r")).isEqualTo(3);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void firstClaimWaitsForAnOlderFirstClaimersTransaction(boolean commits) throws Exception {
		try (OpenClaim older = new OpenClaim("r", token(2))) {
			Future<?> newer = this.threads.submit(() -> this.guard.claim("r", token(3)));
			assertThat(isDoneSoon(newer)).isFalse();
			older.end(commits);
			newer.get(10, TimeUnit.SECONDS);
			assertThat(stored("r")).isEqualTo(3);
		}
	}

	@Test
	void staleClaimerThatWaitedIsRefused() throws Exception {
		this.guard.claim("r", token(1));
		try (OpenClaim newer = new OpenClaim("r", token(3))) {
			Future<Throwable> older = this.threads.submit(() -> catchThrowable(() -> this.guard.claim("r", token(2))));
			isDoneSoon(older);
			newer.end(true);
			assertThat(older.get(10, TimeUnit.SECONDS)).isInstanceOf(StaleFencingTokenException.class);
		}
	}

	@Test
	void claimThatWaitsTooLongIsUnavailableAndRetryable() throws Exception {
		this.guard.claim("r", token(1));
		try (OpenClaim older = new OpenClaim("r", token(2))) {
			JdbcFencingGuard impatient = guard(this.pool, "redis", Duration.ofSeconds(1));
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> impatient.claim("r", token(3)))
				.withMessageContainingAll("'r'", "1000 ms", "still open")
				.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
			older.end(true);
			impatient.claim("r", token(3));
		}
	}

	@Test
	void waitThatTheDatabaseCutsShortGoesOn() throws Exception {
		this.guard.claim("r", token(1));
		HikariDataSource hasty = pool(1);
		hasty.setConnectionInitSql(shortLockTimeout());
		JdbcFencingGuard patient = guard(hasty, "redis", TIMEOUT);
		try (OpenClaim older = new OpenClaim("r", token(2))) {
			Future<?> newer = this.threads.submit(() -> patient.claim("r", token(3)));
			long start = System.nanoTime();
			await().pollDelay(Duration.ofMillis(2500)).until(() -> System.nanoTime() - start > 0);
			assertThat(newer).isNotDone();
			older.end(true);
			newer.get(10, TimeUnit.SECONDS);
		}
	}

	@Test
	void claimJoinsTheOpenTransactionAndIsForgottenWithIt() {
		transaction(this.pool).executeWithoutResult((status) -> {
			assertThat(this.guard.joinsCurrentTransaction()).isTrue();
			this.guard.claim("r", token(5));
			assertThat(stored("r")).isEqualTo(5);
			status.setRollbackOnly();
		});
		assertThat(this.guard.joinsCurrentTransaction()).isFalse();
		assertThat(stored("r")).isNull();
	}

	@Test
	void openTransactionIsUsableAfterARefusedClaim() {
		this.guard.claim("r", token(5));
		transaction(this.pool).executeWithoutResult((status) -> {
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> this.guard.claim("r", token(4)));
			this.guard.claim("s", token(4));
		});
		assertThat(stored("s")).isEqualTo(4);
	}

	@Test
	void readOnlyTransactionIsNotJoined() {
		TransactionTemplate readOnly = transaction(this.pool);
		readOnly.setReadOnly(true);
		readOnly.executeWithoutResult((status) -> {
			this.jdbc.queryForObject("SELECT COUNT(*) FROM lock_fence", Integer.class);
			assertThat(this.guard.joinsCurrentTransaction()).isFalse();
			this.guard.claim("r", token(5));
			status.setRollbackOnly();
		});
		assertThat(stored("r")).isEqualTo(5);
	}

	@Test
	void claimIsCommittedWhenThePoolHasNoAutoCommit() {
		HikariDataSource manual = pool(1);
		manual.setAutoCommit(false);
		guard(manual, "redis", TIMEOUT).claim("r", token(5));
		assertThat(stored("r")).isEqualTo(5);
	}

	@Test
	void connectionBesideTheTransactionOfAnotherDatabaseIsNotJoined() {
		HikariDataSource other = pool(1);
		transaction(other).executeWithoutResult((status) -> {
			assertThat(stored("r")).isNull(); // binds a connection in autocommit
			assertThat(this.guard.joinsCurrentTransaction()).isFalse();
			this.guard.claim("r", token(5));
			status.setRollbackOnly();
		});
		assertThat(stored("r")).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(
			ints = { TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE })
	void snapshotFromBeforeAnotherClaimMeansRetryAndNeverStale(int isolation) throws Exception {
		this.guard.claim("r", token(1));
		TransactionTemplate transaction = transaction(this.pool);
		transaction.setIsolationLevel(isolation);
		Throwable outcome = catchThrowable(() -> transaction.executeWithoutResult((status) -> {
			stored("untouched"); // takes the snapshot
			Future<?> other = this.threads.submit(() -> guard(pool(1), "redis", TIMEOUT).claim("r", token(2)));
			assertThat(catchThrowable(() -> other.get(10, TimeUnit.SECONDS))).isNull();
			this.guard.claim("r", token(3));
		}));
		if (outcome != null) {
			assertThat(outcome).isInstanceOf(ConcurrencyFailureException.class);
		}
		assertThat(outcome != null).isEqualTo(failsOnOldSnapshot());
		transaction.executeWithoutResult((status) -> this.guard.claim("r", token(3)));
		assertThat(stored("r")).isEqualTo(3);
	}

	/** Whether a statement cannot change a row that is newer than its snapshot. */
	abstract boolean failsOnOldSnapshot();

	@Test
	void deadlockMeansRetryAndNeverStale() throws Exception {
		this.guard.claim("a", token(1));
		this.guard.claim("b", token(1));
		CyclicBarrier bothHaveOne = new CyclicBarrier(2);
		Future<Throwable> forward = this.threads.submit(() -> inOneTransaction("a", "b", 2, bothHaveOne));
		Future<Throwable> backward = this.threads.submit(() -> inOneTransaction("b", "a", 3, bothHaveOne));
		List<Throwable> failures = new ArrayList<>();
		for (Future<Throwable> worker : List.of(forward, backward)) {
			Throwable failure = worker.get(20, TimeUnit.SECONDS);
			if (failure != null) {
				failures.add(failure);
			}
		}
		assertThat(failures).hasSize(1).allMatch(ConcurrencyFailureException.class::isInstance);
	}

	private Throwable inOneTransaction(String first, String second, long value, CyclicBarrier barrier) {
		HikariDataSource own = pool(1);
		JdbcFencingGuard ownGuard = guard(own, "redis", TIMEOUT);
		return catchThrowable(() -> transaction(own).executeWithoutResult((status) -> {
			ownGuard.claim(first, token(value));
			assertThat(catchThrowable(() -> barrier.await(10, TimeUnit.SECONDS))).isNull();
			ownGuard.claim(second, token((value == 2) ? 4 : 5));
		}));
	}

	@Test
	void newRowsInOpenTransactionsDoNotBlockEachOther() throws Exception {
		CyclicBarrier bothHaveOne = new CyclicBarrier(2);
		List<Future<Throwable>> workers = new ArrayList<>();
		for (String resource : List.of("m1", "m2")) {
			HikariDataSource own = pool(1);
			JdbcFencingGuard ownGuard = guard(own, "redis", TIMEOUT);
			workers
				.add(this.threads.submit(() -> catchThrowable(() -> transaction(own).executeWithoutResult((status) -> {
					ownGuard.claim(resource, token(1));
					assertThat(catchThrowable(() -> bothHaveOne.await(10, TimeUnit.SECONDS))).isNull();
				}))));
		}
		for (Future<Throwable> worker : workers) {
			assertThat(worker.get(20, TimeUnit.SECONDS)).isNull();
		}
	}

	@Test
	void missingTableIsToldWithItsStatementAndNotRetried() {
		this.jdbc.execute("DROP TABLE lock_fence");
		JdbcFencingGuard fresh = guard(this.pool, "redis", TIMEOUT);
		List<Throwable> failures = new ArrayList<>();
		failures.add(catchThrowable(() -> fresh.claim("r", token(1))));
		failures.add(catchThrowable(fresh::requireTable));
		transaction(this.pool).executeWithoutResult((status) -> {
			failures.add(catchThrowable(() -> fresh.claim("r", token(1))));
			status.setRollbackOnly();
		});
		assertThat(failures).hasSize(3).allSatisfy((failure) -> {
			assertThat(failure).isInstanceOf(LockUnavailableException.class)
				.hasMessageContainingAll("lock_fence", "is missing", "lock.fencing.jdbc.initialize-schema=always",
						"CREATE TABLE");
			assertThat(((LockUnavailableException) failure).isRetryable()).isFalse();
		});
		this.jdbc.execute(fresh.createStatement());
		fresh.requireTable();
		fresh.claim("r", token(1));
		assertThat(stored("r")).isEqualTo(1);
	}

	@Test
	void tableOfAnotherShapeIsToldToo() {
		this.jdbc.execute("ALTER TABLE lock_fence DROP COLUMN namespace");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.guard::requireTable)
			.withMessageContaining("cannot be used");
	}

	private static boolean isDoneSoon(Future<?> future) {
		try {
			future.get(700, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (Exception ex) {
			return future.isDone();
		}
	}

	/**
	 * A claim in a transaction that stays open on a thread of its own.
	 */
	private final class OpenClaim implements AutoCloseable {

		private final CountDownLatch end = new CountDownLatch(1);

		private final AtomicReference<Boolean> commit = new AtomicReference<>(false);

		private final Future<?> done;

		OpenClaim(String resource, FencingToken token) {
			HikariDataSource own = pool(1);
			CountDownLatch claimed = new CountDownLatch(1);
			this.done = JdbcFencingGuardContract.this.threads
				.submit(() -> transaction(own).executeWithoutResult((status) -> {
					guard(own, "redis", TIMEOUT).claim(resource, token);
					claimed.countDown();
					assertThat(catchThrowable(this.end::await)).isNull();
					if (!this.commit.get()) {
						status.setRollbackOnly();
					}
				}));
			assertThat(catchThrowable(() -> assertThat(claimed.await(10, TimeUnit.SECONDS)).isTrue())).isNull();
		}

		void end(boolean commits) throws Exception {
			this.commit.set(commits);
			this.end.countDown();
			this.done.get(10, TimeUnit.SECONDS);
		}

		@Override
		public void close() {
			this.end.countDown();
		}

	}

}
