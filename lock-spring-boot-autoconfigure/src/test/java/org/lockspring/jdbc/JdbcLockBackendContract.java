package org.lockspring.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockBackend;
import org.lockspring.LockBackendContract;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What locks do on every database.
 */
abstract class JdbcLockBackendContract extends LockBackendContract {

	static final Duration WEEK = Duration.ofDays(7);

	static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration TTL = Duration.ofMinutes(1);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<AutoCloseable> opened = new ArrayList<>();

	private DataSource database;

	private HikariDataSource pool;

	private JdbcLockBackend backend;

	private JdbcTemplate jdbc;

	/** Create an empty database without a pool. */
	abstract DataSource freshDatabase();

	/** The platform in the name of the schema file. */
	abstract String platform();

	/** What sets the time zone of a connection, to one that has daylight saving. */
	abstract String setTimeZone();

	@BeforeEach
	void createTable() {
		this.database = freshDatabase();
		createTable(this.database, platform());
		this.pool = pool(10);
		this.backend = backend(this.pool);
		this.jdbc = new JdbcTemplate(this.database);
	}

	static void createTable(DataSource database, String platform) {
		new ResourceDatabasePopulator(new ClassPathResource("schema-lock-" + platform + ".sql", LockDialect.class))
			.execute(database);
	}

	@AfterEach
	void close() throws Exception {
		this.threads.shutdownNow();
		for (AutoCloseable closeable : this.opened) {
			closeable.close();
		}
	}

	private HikariDataSource pool(int size) {
		HikariDataSource created = new HikariDataSource();
		created.setDataSource(this.database);
		created.setMaximumPoolSize(size);
		created.setMinimumIdle(1);
		this.opened.add(created);
		return created;
	}

	private JdbcLockBackend backend(DataSource dataSource) {
		JdbcLockBackend created = new JdbcLockBackend(dataSource, WEEK, TIMEOUT);
		this.opened.add(created);
		return created;
	}

	@Override
	protected LockBackend backend() {
		return this.backend;
	}

	static LockAttempt attempt(String name, Duration ttl) {
		return new LockAttempt(name, UUID.randomUUID().toString(), LockMode.CORRECTNESS, ttl, "'" + name + "'");
	}

	static BackendLease acquire(LockBackend backend, String name) {
		Acquisition acquisition = backend.tryAcquire(attempt(name, TTL));
		assertThat(acquisition).isInstanceOf(Acquisition.Granted.class);
		return ((Acquisition.Granted) acquisition).lease();
	}

	private static boolean isBusy(LockBackend backend, String name) {
		return backend.tryAcquire(attempt(name, TTL)) instanceof Acquisition.Busy;
	}

	private Acquisition handOver(BackendLease from, LockAttempt attempt) {
		return this.backend.handOver(from, attempt).toCompletableFuture().join();
	}

	private static Ownership release(BackendLease lease) {
		return lease.release().toCompletableFuture().join();
	}

	private static long token(BackendLease lease) {
		return lease.fencingToken().value();
	}

	/** Let every thread do the same, and wait for all. */
	private <T> List<T> together(int count, Callable<T> work) throws Exception {
		List<Future<T>> futures = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			futures.add(this.threads.submit(work));
		}
		List<T> results = new ArrayList<>();
		for (Future<T> future : futures) {
			results.add(future.get(60, TimeUnit.SECONDS));
		}
		return results;
	}

	@Test
	void oneStatementAcquiresAndOneReleases() {
		CountedStatements counted = new CountedStatements(this.pool);
		JdbcLockBackend backend = backend(counted.dataSource());
		for (LockMode mode : LockMode.values()) {
			for (String name : List.of("new-for-" + mode, "new-for-" + mode, "another-for-" + mode)) {
				LockAttempt attempt = new LockAttempt(name, UUID.randomUUID().toString(), mode, TTL, "");
				BackendLease lease = ((Acquisition.Granted) backend.tryAcquire(attempt)).lease();
				assertThat(counted.andReset()).as("to acquire").hasSize(1);
				lease.renew(TTL);
				assertThat(counted.andReset()).as("to renew").hasSize(1);
				release(lease);
				assertThat(counted.andReset()).as("to release").hasSize(1);
			}
		}
		acquire(this.backend, "taken");
		assertThat(isBusy(backend, "taken")).isTrue();
		assertThat(counted.andReset()).as("to be told that it is busy").hasSizeLessThanOrEqualTo(statementsWhenBusy());
	}

	/** How many statements it takes to learn whose end to wait for. */
	int statementsWhenBusy() {
		return 1;
	}

	@Test
	void callersTransactionNeitherHidesNorUndoesWhatIsLocked() {
		DataSource shared = new TransactionAwareDataSourceProxy(this.pool);
		for (JdbcLockBackend own : List.of(backend(this.pool), backend(shared))) {
			BackendLease before = acquire(own, "before");
			BackendLease[] inside = new BackendLease[1];
			new TransactionTemplate(new JdbcTransactionManager(this.pool)).executeWithoutResult((status) -> {
				new JdbcTemplate(this.pool).queryForList("SELECT 1 FROM lock_entry");
				inside[0] = acquire(own, "inside");
				assertThat(isBusy(this.backend, "inside")).isTrue();
				assertThat(release(before)).isEqualTo(Ownership.HELD);
				assertThat(release(acquire(this.backend, "before"))).isEqualTo(Ownership.HELD);
				status.setRollbackOnly();
			});
			assertThat(isBusy(this.backend, "inside")).isTrue();
			assertThat(release(before)).isEqualTo(Ownership.EXPIRED);
			assertThat(release(inside[0])).isEqualTo(Ownership.HELD);
		}
	}

	@Test
	void lockInsideAReadOnlyTransactionGoesToThePrimary() {
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return TransactionSynchronizationManager.isCurrentTransactionReadOnly() ? "replica" : "primary";
			}

		};
		routing.setTargetDataSources(Map.of("primary", this.pool, "replica", freshDatabase()));
		routing.afterPropertiesSet();
		JdbcLockBackend routed = backend(routing);
		TransactionTemplate readOnly = new TransactionTemplate(new JdbcTransactionManager(routing));
		readOnly.setReadOnly(true);
		readOnly.executeWithoutResult((status) -> {
			acquire(routed, "k");
			assertThat(TransactionSynchronizationManager.isCurrentTransactionReadOnly()).isTrue();
		});
		assertThat(isBusy(this.backend, "k")).isTrue();
	}

	@Test
	void ofThreeFirstAcquisitionsAtOnceExactlyOneIsGranted() throws Exception {
		for (int i = 0; i < 100; i++) {
			String name = "first-" + i;
			CyclicBarrier barrier = new CyclicBarrier(3);
			List<Boolean> busy = together(3, () -> {
				barrier.await();
				return isBusy(this.backend, name);
			});
			assertThat(busy).containsOnlyOnce(false);
		}
	}

	@Test
	void tokensOfTwoProcessesAreUniqueAndRise() throws Exception {
		List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
		JdbcLockBackend other = backend(pool(5));
		together(8, () -> {
			JdbcLockBackend mine = ThreadLocalRandom.current().nextBoolean() ? this.backend : other;
			for (int granted = 0; granted < 50;) {
				if (mine.tryAcquire(attempt("k", TTL)) instanceof Acquisition.Granted entry) {
					tokens.add(token(entry.lease()));
					assertThat(release(entry.lease())).isEqualTo(Ownership.HELD);
					granted++;
				}
			}
			return null;
		});
		assertThat(tokens).hasSize(400).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void successorTakesOverFromTheHolderOnly() {
		BackendLease first = acquire(this.backend, "k");
		LockAttempt next = attempt("k", TTL);
		BackendLease second = ((Acquisition.Granted) handOver(first, next)).lease();
		assertThat(token(second)).isGreaterThan(token(first));
		BackendLease again = ((Acquisition.Granted) handOver(first, next)).lease();
		assertThat(token(again)).isEqualTo(token(second));
		assertThat(first.renew(TTL)).isEqualTo(Ownership.TAKEN);
		assertThat(handOver(first, attempt("k", TTL))).isInstanceOf(Acquisition.Busy.class);
		assertThat(release(second)).isEqualTo(Ownership.HELD);
	}

	@ParameterizedTest
	@ValueSource(strings = { "TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE" })
	void manyWhoLockTheSameFewKeysMeetNoErrorAtAnyIsolation(String isolation) throws Exception {
		HikariDataSource strict = new HikariDataSource();
		strict.setDataSource(this.database);
		strict.setTransactionIsolation(isolation);
		strict.setMaximumPoolSize(10);
		this.opened.add(strict);
		JdbcLockBackend one = backend(strict);
		JdbcLockBackend two = backend(strict);
		long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
		List<Integer> granted = together(20, () -> {
			int count = 0;
			while (System.nanoTime() - end < 0) {
				int key = ThreadLocalRandom.current().nextInt(5);
				Acquisition acquisition = (ThreadLocalRandom.current().nextBoolean() ? one : two)
					.tryAcquire(attempt("key-" + key, TTL));
				if (acquisition instanceof Acquisition.Granted entry) {
					assertThat(entry.lease().renew(TTL)).isEqualTo(Ownership.HELD);
					assertThat(release(entry.lease())).isEqualTo(Ownership.HELD);
					count++;
				}
			}
			return count;
		});
		assertThat(granted.stream().mapToInt(Integer::intValue).sum()).isPositive();
		for (int key = 0; key < 5; key++) {
			assertThat(isBusy(this.backend, "key-" + key)).as("left behind").isFalse();
		}
	}

	@Test
	void whatIsStoredKnowsNoTimeZone() {
		TimeZone before = TimeZone.getDefault();
		HikariDataSource elsewhere = new HikariDataSource();
		elsewhere.setDataSource(this.database);
		elsewhere.setConnectionInitSql(setTimeZone());
		this.opened.add(elsewhere);
		try {
			TimeZone.setDefault(TimeZone.getTimeZone("Asia/Seoul"));
			acquire(backend(elsewhere), "k");
			TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
			assertThat(isBusy(this.backend, "k")).isTrue();
		}
		finally {
			TimeZone.setDefault(before);
		}
		long left = this.jdbc.queryForObject("SELECT expires_at FROM lock_entry", Long.class) / 1000
				- System.currentTimeMillis();
		assertThat(Duration.ofMillis(left)).isBetween(TTL.minusSeconds(10), TTL.plusSeconds(1));
	}

	@Test
	void connectionsGoBackAsTheyCame() throws Exception {
		HikariDataSource manual = new HikariDataSource();
		manual.setDataSource(this.database);
		manual.setAutoCommit(false);
		this.opened.add(manual);
		release(acquire(backend(manual), "k"));
		assertThat(isBusy(this.backend, "k")).isFalse();
		try (Connection single = this.database.getConnection()) {
			single.setAutoCommit(false);
			int before = single.getNetworkTimeout();
			JdbcLockBackend bare = backend(CountedStatements.unclosable(single));
			acquire(bare, "bare");
			assertThat(isBusy(this.backend, "bare")).isTrue();
			assertThat(single.getAutoCommit()).isFalse();
			assertThat(single.getNetworkTimeout()).isEqualTo(before);
		}
	}

	@Test
	void rowsOfNamesThatNobodyUsesAreDeletedAndTokensStillRise() {
		long oldest = token(acquire(this.backend, "one-off"));
		release(acquire(this.backend, "recent"));
		acquire(this.backend, "held");
		long eightDays = Duration.ofDays(8).toNanos() / 1000;
		this.jdbc.update("UPDATE lock_entry SET token = token - ?, expires_at = expires_at - ? WHERE token = ?",
				eightDays, eightDays, oldest);
		this.jdbc.update("UPDATE lock_entry SET token = token - ? WHERE expires_at > token", eightDays);
		for (int i = 0; i < 2500; i++) {
			this.jdbc.update("INSERT INTO lock_entry VALUES (?, 'gone', 1, 0)", "old-" + i);
		}
		release(acquire(this.backend, "old-0"));
		this.backend.housekeeping().clean();
		assertThat(this.jdbc.queryForList("SELECT name FROM lock_entry", String.class))
			.containsExactlyInAnyOrder("recent", "held", "old-0");
		assertThat(isBusy(this.backend, "held")).isTrue();
		assertThat(token(acquire(this.backend, "one-off"))).isGreaterThan(oldest);
	}

	@Test
	void missingTableNamesTheStatementThatCreatesItAndIsNotRemembered() {
		this.jdbc.execute("DROP TABLE lock_entry");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> acquire(this.backend, "k"))
			.withMessageContainingAll("'k'", "CREATE TABLE", "lock_entry", "lock.jdbc.initialize-schema")
			.satisfies((ex) -> assertThat(ex.isRetryable()).isFalse());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.backend::requireTable);
		createTable(this.database, platform());
		this.backend.requireTable();
		acquire(this.backend, "k");
	}

	@ParameterizedTest
	@EnumSource
	void assumptionsAreNamed(LockMode mode) {
		assertThat(this.backend.assumptions(mode)).hasSizeGreaterThanOrEqualTo(3);
	}

}
