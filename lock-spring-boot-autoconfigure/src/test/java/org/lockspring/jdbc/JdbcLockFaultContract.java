package org.lockspring.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.LockAttempt;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of locks when the database, or the way to it, fails.
 */
abstract class JdbcLockFaultContract {

	private static final Duration LONG = Duration.ofMinutes(1);

	private static final LockRequest REQUEST = LockRequest.of("k").withMode(LockMode.CORRECTNESS);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private FaultProxy proxy;

	/** Works past the proxy. */
	private JdbcLockBackend direct;

	private JdbcLockBackend backend;

	private LockTemplate template;

	private boolean paused;

	abstract int port();

	/** The database of this test through a port. */
	abstract DataSource database(int port);

	abstract String platform();

	abstract void pause();

	abstract void resume();

	abstract void crash();

	@BeforeEach
	void connect() {
		JdbcLockBackendContract.createTable(database(port()), platform());
		this.proxy = open(FaultProxy.to("127.0.0.1", port()));
		this.direct = backend(port());
		this.backend = backend(this.proxy.port());
		this.template = open(new LockTemplate(this.backend, new LockSettings("app")));
	}

	private JdbcLockBackend backend(int port) {
		HikariDataSource pool = new HikariDataSource();
		pool.setDataSource(database(port));
		pool.setMaximumPoolSize(4);
		pool.setMinimumIdle(1);
		pool.setConnectionTimeout(1500);
		pool.setValidationTimeout(500);
		JdbcLockBackend created = open(new JdbcLockBackend(open(pool), Duration.ofDays(7), Duration.ofSeconds(1)));
		// Connects, for which drivers have time-outs of their own
		created.requireTable();
		return created;
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(0, closeable);
		return closeable;
	}

	@AfterEach
	void close() throws Exception {
		if (this.paused) {
			resume();
		}
		this.proxy.heal();
		this.proxy.cutAll();
		for (AutoCloseable closeable : this.opened) {
			closeable.close();
		}
	}

	private static LockAttempt attempt() {
		return new LockAttempt("app:{k}", UUID.randomUUID().toString(), LockMode.CORRECTNESS, LONG, "'k'");
	}

	private static Optional<BackendLease> tryAcquire(JdbcLockBackend backend) {
		return (backend.tryAcquire(attempt()) instanceof Acquisition.Granted granted) ? Optional.of(granted.lease())
				: Optional.empty();
	}

	private static void assertUnavailable(JdbcLockBackend backend) {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> tryAcquire(backend))
			.withMessageContaining("'k'")
			.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
	}

	private void awaitFree() {
		await().atMost(20, TimeUnit.SECONDS).until(() -> tryAcquire(this.direct).isPresent());
	}

	@Test
	void grantThatNobodyLearnedOfIsGivenBack() {
		this.proxy.onlyRequestsWith("INTO lock_entry").swallowReplies(1);
		assertUnavailable(this.backend);
		assertThat(this.proxy.swallowed()).isEqualTo(1);
		awaitFree();
	}

	@Test
	void grantThatComesAfterItsCallerHasGoneIsGivenBack() {
		this.proxy.onlyRequestsWith("INTO lock_entry").holdRequests();
		assertUnavailable(this.backend);
		BackendLease other = tryAcquire(this.direct).orElseThrow();
		assertThat(other.release()).isCompletedWithValue(Ownership.HELD);
		this.proxy.releaseRequests();
		awaitFree();
	}

	@Test
	void lostReplyOfAReleaseNeverEndsTheNextLock() {
		BackendLease first = tryAcquire(this.backend).orElseThrow();
		this.proxy.onlyRequestsWith("expires_at = 0").swallowReplies(1);
		assertThat(first.release()).isCompletedExceptionally();
		BackendLease second = tryAcquire(this.direct).orElseThrow();
		await().ignoreExceptions().until(() -> first.release().toCompletableFuture().join() == Ownership.TAKEN);
		assertThat(second.renew(LONG)).isEqualTo(Ownership.HELD);
	}

	@Test
	void holderWhoseConnectionsAreCutKeepsItsLock() {
		this.template.execute(REQUEST.withTtl(Duration.ofSeconds(3)), (lease) -> {
			this.proxy.cutAll();
			long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
			await().until(() -> System.nanoTime() - end > 0);
			assertThat(lease.isValid()).isTrue();
			return null;
		});
		awaitFree();
	}

	@Test
	void partitionedHolderLosesItsLockAndTheNextOneGetsItWhenTheDatabaseIsBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(REQUEST.withTtl(Duration.ofSeconds(1)), (lease) -> {
				this.proxy.blackhole();
				await().until(() -> !lease.isValid());
				assertThat(tryAcquire(this.direct)).isPresent();
				return null;
			}));
		assertUnavailable(this.backend);
		this.proxy.heal();
		long back = System.nanoTime();
		await().ignoreExceptions().until(() -> this.backend.tryAcquire(attempt()) instanceof Acquisition.Busy);
		assertThat(Duration.ofNanos(System.nanoTime() - back)).isLessThan(Duration.ofSeconds(5));
	}

	@Test
	void stoppedDatabaseIsUnavailableInTimeAndTheHolderLearnsOfItsLoss() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(REQUEST.withTtl(Duration.ofSeconds(1)), (lease) -> {
				stop();
				CompletableFuture<Void> call = CompletableFuture.runAsync(() -> assertUnavailable(this.direct));
				try {
					assertThat(call).succeedsWithin(Duration.ofSeconds(8));
				}
				catch (AssertionError ex) {
					// Else nothing ends
					goOn();
					throw ex;
				}
				assertThat(lease.isValid()).isFalse();
				return null;
			}));
		goOn();
		awaitFree();
	}

	@Test
	void waiterOutlivesAStopOfTheDatabase() throws Exception {
		BackendLease holder = tryAcquire(this.direct).orElseThrow();
		CompletableFuture<String> waiter = CompletableFuture
			.supplyAsync(() -> this.template.execute(REQUEST.withWaitTime(Duration.ofSeconds(30)), (lease) -> "done"));
		await().pollDelay(Duration.ofMillis(300)).until(() -> !waiter.isDone());
		stop();
		await().pollDelay(Duration.ofSeconds(3)).until(() -> !waiter.isDone());
		goOn();
		await().ignoreExceptions().until(() -> holder.release().toCompletableFuture().join() != Ownership.TAKEN);
		assertThat(waiter.get(30, TimeUnit.SECONDS)).isEqualTo("done");
	}

	@Test
	void crashOfTheDatabaseEndsNoLockAndTokensRise() {
		BackendLease lease = tryAcquire(this.backend).orElseThrow();
		crash();
		await().ignoreExceptions().atMost(30, TimeUnit.SECONDS).until(() -> tryAcquire(this.direct).isEmpty());
		await().ignoreExceptions().until(() -> lease.renew(LONG) == Ownership.HELD);
		assertThat(lease.release()).isCompletedWithValue(Ownership.HELD);
		BackendLease next = tryAcquire(this.direct).orElseThrow();
		assertThat(next.fencingToken().isNewerThan(lease.fencingToken())).isTrue();
	}

	private void stop() {
		this.paused = true;
		pause();
	}

	private void goOn() {
		resume();
		this.paused = false;
	}

}
