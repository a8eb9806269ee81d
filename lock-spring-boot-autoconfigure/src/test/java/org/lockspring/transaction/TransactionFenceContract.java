package org.lockspring.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.CurrentLock;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.fencing.StaleFencingTokenException;
import org.lockspring.jdbc.JdbcFencingGuard;
import org.lockspring.memory.MemoryLockBackend;
import org.lockspring.transaction.Client.Manager;
import org.lockspring.transaction.Client.Options;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Transactions under locks, on every database. The store of the locks is made to forget,
 * so that two holders exist.
 */
abstract class TransactionFenceContract {

	private final MemoryLockBackend store = new MemoryLockBackend();

	private final List<Client> clients = new ArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private DataSource database;

	/** Create an empty database without a pool. */
	abstract DataSource freshDatabase();

	/** The platform in the name of the schema file. */
	abstract String platform();

	@BeforeEach
	void createTables() {
		this.database = newDatabase();
	}

	private DataSource newDatabase() {
		DataSource created = freshDatabase();
		new ResourceDatabasePopulator(
				new ClassPathResource("schema-fence-" + platform() + ".sql", JdbcFencingGuard.class))
			.execute(created);
		JdbcTemplate jdbc = new JdbcTemplate(created);
		jdbc.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)");
		jdbc.execute("INSERT INTO account VALUES (1, 0)");
		return created;
	}

	@AfterEach
	void nothingIsLeftBehind() {
		this.threads.shutdownNow();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(CurrentLock.leases()).isEmpty();
		this.clients.forEach((client) -> {
			await().untilAsserted(() -> assertThat(client.pool.getHikariPoolMXBean().getActiveConnections()).isZero());
			client.close();
		});
	}

	private Client client() {
		return client(new Options());
	}

	private Client client(Options options) {
		return client(this.database, options);
	}

	private Client client(DataSource target, Options options) {
		Client created = Client.of(target, this.store, options);
		created.jdbc.queryForObject("SELECT 1", Integer.class);
		this.clients.add(created);
		return created;
	}

	private boolean isFree() {
		try (Client outsider = Client.of(this.database, this.store, new Options().guarded(false))) {
			return outsider.locks.tryExecute(Client.REQUEST, (lease) -> "free").isPresent();
		}
	}

	private static boolean isDoneSoon(Future<?> future) throws Exception {
		try {
			future.get(700, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
	}

	/** Run as another instance does: on a thread without this one's locks. */
	private void elsewhere(Runnable action) {
		assertThat(catchThrowable(() -> this.threads.submit(action).get(20, TimeUnit.SECONDS))).isNull();
	}

	@ParameterizedTest
	@EnumSource(Manager.class)
	void staleHoldersTransactionRollsBackAndItsCallerIsTold(Manager manager) {
		Client stale = client(new Options().manager(manager));
		AtomicReference<Boolean> validInBody = new AtomicReference<>();
		Throwable outcome = catchThrowable(() -> overtaken(stale, validInBody));
		assertThat(outcome).isInstanceOf(StaleFencingTokenException.class);
		assertThat(outcome.getSuppressed()).isEmpty();
		assertThat(validInBody.get()).isFalse();
		assertThat(stale.balance()).isEqualTo(10);
	}

	@Test
	void staleHolderWritesWhenNothingFencesIt() {
		Client stale = client(new Options().listener(false));
		// Nothing vouches for it
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> overtaken(stale, new AtomicReference<>()));
		assertThat(stale.balance()).isEqualTo(50);
	}

	private void overtaken(Client stale, AtomicReference<Boolean> validInBody) {
		Client newer = client();
		stale.locks.execute(Client.REQUEST, (lease) -> {
			this.store.reset();
			elsewhere(() -> newer.locks.execute(Client.REQUEST, (other) -> {
				newer.deposit(10);
				return null;
			}));
			stale.transaction.executeWithoutResult((status) -> {
				validInBody.set(lease.isValid());
				stale.write(50);
			});
			return null;
		});
	}

	@ParameterizedTest
	@EnumSource(Manager.class)
	void holderCommitsAndItsTokenIsRemembered(Manager manager) {
		Client client = client(new Options().manager(manager).claimOnAcquire(false));
		long token = client.locks.execute(Client.REQUEST, (lease) -> {
			client.deposit(10);
			client.deposit(10);
			return lease.fencingToken().value();
		});
		assertThat(client.balance()).isEqualTo(20);
		assertThat(client.claimed()).containsExactly(token);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void newHolderReadsWhatAnOlderOneHasStillWritten(boolean claimOnAcquire) throws Exception {
		Client older = client(new Options().claimOnAcquire(claimOnAcquire));
		Client newer = client(new Options().claimOnAcquire(claimOnAcquire));
		CountDownLatch hasRead = new CountDownLatch(1);
		AtomicReference<Future<?>> second = new AtomicReference<>();
		older.locks.execute(Client.REQUEST, (lease) -> {
			older.transaction.executeWithoutResult((status) -> {
				older.write(50);
				this.store.reset();
				second.set(this.threads.submit(() -> newer.locks.execute(Client.REQUEST, (other) -> {
					int read = newer.balance();
					hasRead.countDown();
					newer.transaction.executeWithoutResult((inner) -> newer.write(read + 10));
					return null;
				})));
				assertThat(catchThrowable(
						() -> assertThat(hasRead.await(700, TimeUnit.MILLISECONDS)).isNotEqualTo(claimOnAcquire)))
					.isNull();
			});
			return null;
		});
		second.get().get(10, TimeUnit.SECONDS);
		// The control: what was read before the first claim can be lost
		assertThat(older.balance()).isEqualTo(claimOnAcquire ? 60 : 10);
	}

	@Test
	void noUpdateIsLostAlthoughTheStoreForgets() throws Exception {
		AtomicInteger successes = new AtomicInteger();
		List<Future<?>> workers = new ArrayList<>();
		for (int instance = 0; instance < 2; instance++) {
			Client client = client();
			for (int i = 0; i < 2; i++) {
				workers.add(this.threads.submit(() -> {
					for (int round = 0; round < 40; round++) {
						Throwable outcome = catchThrowable(() -> incrementOrForget(client));
						if (outcome == null) {
							successes.incrementAndGet();
						}
						else {
							assertThat(outcome).isInstanceOfAny(StaleFencingTokenException.class,
									LockLostException.class);
						}
					}
				}));
			}
		}
		for (Future<?> worker : workers) {
			worker.get(60, TimeUnit.SECONDS);
		}
		assertThat(this.clients.get(0).balance()).isEqualTo(successes.get()).isGreaterThan(40);
	}

	private void incrementOrForget(Client client) {
		client.locks.execute(Client.REQUEST.withWaitTime(Duration.ofSeconds(10)), (lease) -> {
			int read = client.balance();
			if (ThreadLocalRandom.current().nextInt(3) == 0) {
				this.store.reset();
			}
			client.transaction.executeWithoutResult((status) -> client.write(read + 1));
			return null;
		});
	}

	@ParameterizedTest
	@EnumSource(Manager.class)
	void innerTransactionDoesNotWaitForItsOwnOuterOne(Manager manager) {
		Client client = client(new Options().manager(manager));
		client.locks.execute(Client.REQUEST, (lease) -> {
			client.transaction.executeWithoutResult((status) -> client.requiresNew()
				.executeWithoutResult((inner) -> client.jdbc.update("INSERT INTO account VALUES (2, 7)")));
			client.deposit(10);
			return null;
		});
		assertThat(client.jdbc.queryForList("SELECT balance FROM account ORDER BY id", Integer.class))
			.containsExactly(10, 7);
	}

	@Test
	void innerTransactionOfARefusedOneIsRefusedAtOnce() {
		Client stale = client();
		Client newer = client();
		AtomicReference<Throwable> inner = new AtomicReference<>();
		AtomicReference<Duration> took = new AtomicReference<>();
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> stale.locks.execute(Client.REQUEST, (lease) -> {
				this.store.reset();
				newer.locks.execute(Client.REQUEST, (other) -> null);
				stale.transaction.executeWithoutResult((status) -> {
					long start = System.nanoTime();
					inner.set(catchThrowable(
							() -> stale.requiresNew().executeWithoutResult((nested) -> stale.write(99))));
					took.set(Duration.ofNanos(System.nanoTime() - start));
				});
				return null;
			}));
		assertThat(inner.get()).isInstanceOf(StaleFencingTokenException.class);
		assertThat(took.get()).isLessThan(Duration.ofSeconds(1));
		assertThat(stale.balance()).isZero();
	}

	@Test
	void savepointIsNotFencedAgain() {
		Client client = client();
		TransactionTemplate nested = new TransactionTemplate(client.manager);
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		client.locks.execute(Client.REQUEST, (lease) -> {
			client.transaction.executeWithoutResult((status) -> {
				nested.executeWithoutResult((inner) -> {
					client.write(99);
					inner.setRollbackOnly();
				});
				nested.executeWithoutResult((inner) -> client.jdbc.update("INSERT INTO account VALUES (2, 7)"));
			});
			return null;
		});
		assertThat(client.jdbc.queryForList("SELECT balance FROM account ORDER BY id", Integer.class))
			.containsExactly(0, 7);
	}

	@ParameterizedTest
	@EnumSource(Manager.class)
	void readOnlyTransactionIsNotClaimed(Manager manager) {
		Client client = client(new Options().manager(manager).claimOnAcquire(false));
		client.locks.execute(Client.REQUEST, (lease) -> client.readOnly().execute((status) -> client.balance()));
		assertThat(client.claimed()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(Manager.class)
	void lockInsideAReadOnlyTransactionIsClaimedBesideIt(Manager manager) {
		Client client = client(new Options().manager(manager));
		client.readOnly().executeWithoutResult((status) -> {
			client.balance();
			client.locks.execute(Client.REQUEST, (lease) -> {
				client.requiresNew().executeWithoutResult((inner) -> client.write(10));
				return null;
			});
			status.setRollbackOnly();
		});
		assertThat(client.claimed()).hasSize(1);
		assertThat(client.balance()).isEqualTo(10);
	}

	@ParameterizedTest
	@EnumSource(Manager.class)
	void lockInsideATransactionIsClaimedInItAndKeptUntilItCommits(Manager manager) throws Exception {
		Client client = client(new Options().manager(manager));
		Client other = client();
		AtomicReference<Future<?>> waiting = new AtomicReference<>();
		client.transaction.executeWithoutResult((status) -> {
			client.locks.execute(Client.REQUEST, (lease) -> {
				assertThat(client.claimed()).containsExactly(lease.fencingToken().value());
				client.write(10);
				return null;
			});
			assertThat(isFree()).isFalse();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> other.locks.execute(Client.REQUEST, (lease) -> null));
			waiting.set(this.threads
				.submit(() -> other.locks.execute(Client.REQUEST.withWaitTime(Duration.ofSeconds(10)), (lease) -> {
					other.deposit(1);
					return null;
				})));
			assertThat(catchThrowable(() -> assertThat(isDoneSoon(waiting.get())).isFalse())).isNull();
		});
		waiting.get().get(10, TimeUnit.SECONDS);
		assertThat(client.balance()).isEqualTo(11);
		assertThat(isFree()).isTrue();
	}

	@Test
	void lockInsideATransactionThatTheStoreForgotStillHoldsTheRow() throws Exception {
		Client client = client();
		Client other = client();
		AtomicReference<Future<?>> waiting = new AtomicReference<>();
		client.transaction.executeWithoutResult((status) -> {
			client.locks.execute(Client.REQUEST, (lease) -> {
				client.write(10);
				return null;
			});
			this.store.reset();
			waiting.set(this.threads.submit(() -> other.locks.execute(Client.REQUEST, (lease) -> {
				other.deposit(1);
				return null;
			})));
			assertThat(catchThrowable(() -> assertThat(isDoneSoon(waiting.get())).isFalse())).isNull();
		});
		waiting.get().get(10, TimeUnit.SECONDS);
		assertThat(client.balance()).isEqualTo(11);
	}

	@Test
	void lockInsideATransactionThatRollsBackIsFreeAndForgotten() {
		Client client = client();
		IllegalStateException failure = new IllegalStateException("rolled back");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> client.transaction.executeWithoutResult((status) -> {
				client.locks.execute(Client.REQUEST, (lease) -> {
					client.write(10);
					return null;
				});
				assertThat(isFree()).isFalse();
				throw failure;
			}))
			.isSameAs(failure);
		assertThat(isFree()).isTrue();
		assertThat(client.balance()).isZero();
		assertThat(client.claimed()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void keptLockIsReenteredByTheSameTransactionAndByAnInnerOne(LockMode mode) {
		Client client = client();
		client.transaction.executeWithoutResult((status) -> {
			long[] tokens = new long[3];
			for (int i = 0; i < 2; i++) {
				int round = i;
				client.locks.execute(Client.REQUEST.withMode(mode), (lease) -> {
					tokens[round] = (lease.fencingToken() != null) ? lease.fencingToken().value() : 0;
					return null;
				});
			}
			client.requiresNew()
				.executeWithoutResult((inner) -> client.locks.execute(Client.REQUEST.withMode(mode), (lease) -> {
					tokens[2] = (lease.fencingToken() != null) ? lease.fencingToken().value() : 0;
					return null;
				}));
			assertThat(Arrays.stream(tokens).distinct().toArray()).hasSize(1);
			assertThat(isFree()).isFalse();
			assertThat(CurrentLock.leases()).isEmpty();
		});
		assertThat(isFree()).isTrue();
	}

	@Test
	void refusedClaimInsideATransactionLeavesTheDecisionToItsCaller() {
		Client stale = client();
		Client newer = client();
		newer.locks.execute(Client.REQUEST, (lease) -> null);
		newer.jdbc.update("UPDATE lock_fence SET token = 1000000");
		stale.transaction.executeWithoutResult((status) -> {
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> stale.locks.execute(Client.REQUEST, (lease) -> {
					throw new AssertionError("The body ran");
				}));
			stale.write(5);
		});
		assertThat(stale.balance()).isEqualTo(5);
		assertThat(isFree()).isTrue();
	}

	@Test
	void storeThatLostItsCounterIsRefusedBeforeTheBodyRuns() {
		Client client = client();
		client.locks.execute(Client.REQUEST, (lease) -> null);
		client.jdbc.update("UPDATE lock_fence SET token = 1000000");
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> client.locks.execute(Client.REQUEST, (lease) -> {
				throw new AssertionError("The body ran");
			}));
		assertThat(isFree()).isTrue();
	}

	@ParameterizedTest
	@EnumSource(Manager.class)
	void leaseThatIsLostBeforeTheCommitRollsBack(Manager manager) {
		Client client = client(new Options().manager(manager));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> client.locks.execute(Client.REQUEST.withTtl(Duration.ofMillis(500)), (lease) -> {
				client.transaction.executeWithoutResult((status) -> {
					client.write(10);
					await().until(() -> !lease.isValid());
				});
				return null;
			}))
			.withMessageContainingAll("'k'", "rolled back");
		assertThat(client.balance()).isZero();
	}

	@Test
	void leaseThatIsLostAfterItsLastFencedCommitKeepsItsResult() {
		Client client = client();
		String result = client.locks.execute(Client.REQUEST.withTtl(Duration.ofMillis(500)), (lease) -> {
			client.deposit(10);
			await().until(() -> !lease.isValid());
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(client.balance()).isEqualTo(10);
	}

	@Test
	void fencedCommitDoesNotVouchForALaterOneElsewhere() {
		Client client = client();
		Client elsewhere = client(newDatabase(), new Options());
		TransactionFence fence = client.manager.getTransactionExecutionListeners()
			.stream()
			.filter(TransactionFence.class::isInstance)
			.map(TransactionFence.class::cast)
			.findFirst()
			.orElseThrow();
		elsewhere.manager.setTransactionExecutionListeners(List.of(fence));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> client.locks.execute(Client.REQUEST.withTtl(Duration.ofMillis(800)), (lease) -> {
				client.deposit(10);
				elsewhere.deposit(10);
				await().until(() -> !lease.isValid());
				return null;
			}));
		assertThat(elsewhere.balance()).isEqualTo(10);
	}

	@Test
	void transactionThatNoGuardWatchesCommitsWhileTheLeaseIsValid() {
		Client client = client(new Options().guarded(false));
		client.locks.execute(Client.REQUEST, (lease) -> {
			client.deposit(10);
			return null;
		});
		assertThat(client.balance()).isEqualTo(10);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> client.locks.execute(Client.REQUEST.withTtl(Duration.ofMillis(300)), (lease) -> {
				await().until(() -> !lease.isValid());
				client.deposit(10);
				return null;
			}));
		assertThat(client.balance()).isEqualTo(10);
	}

	@Test
	void transactionInsideAClaimedOneOfAnotherDatabaseIsProtectedByIt() {
		Client client = client();
		Client elsewhere = client(newDatabase(), new Options());
		elsewhere.manager.setTransactionExecutionListeners(client.manager.getTransactionExecutionListeners());
		String result = client.locks.execute(Client.REQUEST.withTtl(Duration.ofMillis(800)), (lease) -> {
			client.transaction.executeWithoutResult((status) -> {
				client.write(10);
				elsewhere.deposit(10);
			});
			await().until(() -> !lease.isValid());
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(elsewhere.claimed()).isEmpty();
	}

	@Test
	void efficiencyIsNotFenced() {
		Client client = client();
		client.locks.execute(Client.REQUEST.withMode(LockMode.EFFICIENCY), (lease) -> {
			this.store.reset();
			client.deposit(10);
			return null;
		});
		assertThat(client.balance()).isEqualTo(10);
		assertThat(client.claimed()).isEmpty();
	}

	@Test
	void efficiencyInsideATransactionIsKeptUntilItCompletes() {
		Client client = client();
		client.transaction.executeWithoutResult((status) -> {
			client.locks.execute(Client.REQUEST.withMode(LockMode.EFFICIENCY), (lease) -> null);
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
	}

	@Test
	void leaseThatIsClosedInsideATransactionThatBeganUnderItIsKept() {
		Client client = client();
		LockLease lease = client.locks.acquire(Client.REQUEST);
		client.transaction.executeWithoutResult((status) -> {
			client.write(10);
			lease.close();
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
		assertThat(client.balance()).isEqualTo(10);
	}

	@Test
	void leaseOfATransactionIsKeptAlsoWhenAnotherThreadClosesIt() {
		Client client = client();
		client.transaction.executeWithoutResult((status) -> {
			LockLease lease = client.locks.acquire(Client.REQUEST);
			assertThat(catchThrowable(() -> this.threads.submit(lease::close).get())).isNull();
			assertThat(isFree()).isFalse();
			client.write(10);
		});
		assertThat(isFree()).isTrue();
		assertThat(client.balance()).isEqualTo(10);
	}

	@Test
	void leaseOfASuspendedTransactionIsKeptUntilThatCompletes() {
		Client client = client();
		client.transaction.executeWithoutResult((status) -> {
			LockLease lease = client.locks.acquire(Client.REQUEST);
			client.requiresNew().executeWithoutResult((inner) -> lease.close());
			assertThat(isFree()).isFalse();
		});
		assertThat(isFree()).isTrue();
	}

	@Test
	void leaseThatOutlivesItsTransactionIsReleasedWhenItIsClosed() {
		Client client = client();
		LockLease lease = client.transaction.execute((status) -> client.locks.acquire(Client.REQUEST));
		assertThat(isFree()).isFalse();
		lease.close();
		assertThat(isFree()).isTrue();
	}

	@Test
	void lockOutsideASuspendedTransactionIsReleasedAtOnce() {
		Client client = client();
		TransactionTemplate outside = new TransactionTemplate(client.manager);
		outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
		client.transaction.executeWithoutResult((status) -> {
			outside.executeWithoutResult((none) -> client.locks.execute(Client.REQUEST, (lease) -> null));
			assertThat(isFree()).isTrue();
		});
	}

	@Test
	void threadThatWasHandedTheLeaseIsFenced() {
		Client stale = client();
		Client newer = client();
		LockLease lease = stale.locks.acquire(Client.REQUEST);
		try {
			this.store.reset();
			newer.locks.execute(Client.REQUEST, (other) -> null);
			Throwable outcome = catchThrowable(() -> this.threads.submit(() -> CurrentLock.with(lease, () -> {
				stale.deposit(50);
				return null;
			})).get());
			assertThat(outcome).hasCauseInstanceOf(StaleFencingTokenException.class);
			assertThat(stale.balance()).isZero();
		}
		finally {
			lease.close();
		}
	}

	@Test
	void lockThatIsTakenAfterTheCommitDoesNotJoinTheTransactionThatHasEnded() {
		Client client = client(new Options().autoCommit(false));
		AtomicReference<Long> token = new AtomicReference<>();
		client.transaction.executeWithoutResult((status) -> {
			client.write(1);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					client.locks.execute(Client.REQUEST, (lease) -> {
						token.set(lease.fencingToken().value());
						assertThat(client.claimed()).containsExactly(token.get());
						return client.requiresNew()
							.execute((inner) -> client.jdbc.update("UPDATE account SET balance = 2"));
					});
				}

			});
		});
		assertThat(client.claimed()).containsExactly(token.get());
		assertThat(client.balance()).isEqualTo(2);
		assertThat(isFree()).isTrue();
	}

}
