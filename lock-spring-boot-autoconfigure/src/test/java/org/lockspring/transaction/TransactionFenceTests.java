package org.lockspring.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockBackends;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.fencing.FencingGuard;
import org.lockspring.fencing.FencingToken;
import org.lockspring.jdbc.JdbcFencingGuard;
import org.lockspring.memory.MemoryLockBackend;
import org.lockspring.testing.UsesServer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What does not depend on the database.
 */
@UsesServer("h2")
@ExtendWith(OutputCaptureExtension.class)
class TransactionFenceTests {

	private final MemoryLockBackend store = new MemoryLockBackend();

	private final JdbcDataSource database = h2();

	private final HikariDataSource pool = new HikariDataSource();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.pool);

	private JdbcTransactionManager manager;

	private TransactionTemplate transaction;

	private static JdbcDataSource h2() {
		JdbcDataSource dataSource = new JdbcDataSource();
		dataSource.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		return dataSource;
	}

	@BeforeEach
	void createTable() {
		this.pool.setDataSource(this.database);
		this.pool.setMaximumPoolSize(2);
		this.manager = new JdbcTransactionManager(this.pool);
		this.transaction = new TransactionTemplate(this.manager);
		this.jdbc.execute("CREATE TABLE written (id INT PRIMARY KEY)");
	}

	@AfterEach
	void close() {
		this.pool.close();
	}

	private LockTemplate locks(JdbcTransactionManager target, FencingGuard guard) {
		TransactionFence fence = new TransactionFence(() -> List.of(guard), true);
		target.addListener(fence);
		return new LockTemplate(new LockBackends(this.store, this.store), new LockSettings("app"),
				List.of(fence, new DeferredRelease()));
	}

	private void write(int id) {
		this.jdbc.update("INSERT INTO written VALUES (?)", id);
	}

	private List<Integer> written() {
		return this.jdbc.queryForList("SELECT id FROM written ORDER BY id", Integer.class);
	}

	@Test
	void listenerThatThrowsWhenATransactionBeginsLeavesItOpen() {
		// Why the fence refuses at the commit and not at the begin
		JdbcTransactionManager leaking = new JdbcTransactionManager(this.pool);
		leaking.addListener(new TransactionExecutionListener() {

			@Override
			public void afterBegin(TransactionExecution begun, Throwable beginFailure) {
				throw new IllegalStateException("refused");
			}

		});
		try {
			assertThatIllegalStateException()
				.isThrownBy(() -> new TransactionTemplate(leaking).executeWithoutResult((status) -> write(1)));
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
			assertThat(TransactionSynchronizationManager.hasResource(this.pool)).isTrue();
			assertThat(this.pool.getHikariPoolMXBean().getActiveConnections()).isOne();
		}
		finally {
			TransactionSynchronizationManager.clear();
			ConnectionHolder holder = (ConnectionHolder) TransactionSynchronizationManager.unbindResource(this.pool);
			this.pool.evictConnection(holder.getConnection());
		}
	}

	@Test
	void severalLocksAreClaimedInTheOrderOfTheirNames() {
		RecordingGuard guard = new RecordingGuard();
		LockTemplate locks = locks(this.manager, guard);
		locks.execute(Client.REQUEST, (k) -> {
			locks.execute(LockRequest.of("z").withMode(LockMode.CORRECTNESS), (z) -> {
				locks.execute(LockRequest.of("a").withMode(LockMode.CORRECTNESS), (a) -> {
					guard.claims.clear();
					locks.execute(Client.REQUEST, (again) -> {
						this.transaction.executeWithoutResult((status) -> write(1));
						return null;
					});
					return null;
				});
				return null;
			});
			return null;
		});
		assertThat(guard.claims).containsExactly("app:{a}", "app:{k}", "app:{z}");
	}

	@Test
	void claimThatFailsRollsBackButIsNotALoss(CapturedOutput output) {
		RecordingGuard guard = new RecordingGuard();
		LockTemplate locks = locks(this.manager, guard);
		TransactionTemplate inner = new TransactionTemplate(this.manager);
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		locks.execute(Client.REQUEST, (lease) -> {
			guard.failure = new CannotAcquireLockException("deadlock");
			assertThatExceptionOfType(CannotAcquireLockException.class)
				.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
					write(1);
					guard.failure = null;
					inner.executeWithoutResult((nested) -> write(2));
				}))
				.withMessage("deadlock");
			assertThat(lease.isValid()).isTrue();
			this.transaction.executeWithoutResult((status) -> write(3));
			return null;
		});
		assertThat(written()).containsExactly(2, 3);
		assertThat(output).contains("could not be fenced by lock 'k'");
	}

	@Test
	void everyGuardThatJoinsIsClaimedAndTheOthersOnlyOnAcquisition() {
		RecordingGuard joins = new RecordingGuard();
		RecordingGuard apart = new RecordingGuard();
		apart.joins = false;
		TransactionFence fence = new TransactionFence(() -> List.of(joins, apart), true);
		this.manager.addListener(fence);
		LockTemplate locks = new LockTemplate(new LockBackends(this.store, this.store), new LockSettings("app"),
				List.of(fence));
		locks.execute(Client.REQUEST, (lease) -> {
			assertThat(joins.claims).hasSize(1);
			assertThat(apart.claims).hasSize(1);
			this.transaction.executeWithoutResult((status) -> write(1));
			return null;
		});
		assertThat(joins.claims).hasSize(2);
		assertThat(apart.claims).hasSize(1);
	}

	@Test
	void managerWithoutSynchronizationIsReportedOnceAndNotFenced(CapturedOutput output) {
		this.manager.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);
		JdbcFencingGuard guard = new JdbcFencingGuard(this.pool, "memory", Duration.ofSeconds(5));
		this.jdbc.execute(guard.createStatement());
		LockTemplate locks = locks(this.manager, guard);
		locks.execute(Client.REQUEST, (lease) -> {
			this.transaction.executeWithoutResult((status) -> write(1));
			this.transaction.executeWithoutResult((status) -> write(2));
			return null;
		});
		assertThat(written()).containsExactly(1, 2);
		assertThat(output.toString().split("no fencing guard watches its data", -1)).hasSize(2);
	}

	@Test
	void reactiveTransactionIsNotTakenForOneOfThisThread() {
		RecordingGuard guard = new RecordingGuard();
		TransactionFence fence = new TransactionFence(() -> List.of(guard), true);
		LockTemplate locks = locks(this.manager, guard);
		locks.execute(Client.REQUEST, (lease) -> {
			guard.claims.clear();
			TransactionExecution reactive = new TransactionExecution() {
			};
			fence.afterBegin(reactive, null);
			fence.beforeCommit(reactive);
			return null;
		});
		assertThat(guard.claims).isEmpty();
	}

	@Test
	void lockInsideAReadOnlyTransactionIsClaimedAtThePrimary() {
		JdbcDataSource replica = h2();
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return TransactionSynchronizationManager.isCurrentTransactionReadOnly() ? "replica" : "primary";
			}

		};
		routing.setTargetDataSources(Map.of("primary", this.database, "replica", replica));
		routing.afterPropertiesSet();
		JdbcFencingGuard guard = new JdbcFencingGuard(routing, "memory", Duration.ofSeconds(5));
		this.jdbc.execute(guard.createStatement());
		JdbcTransactionManager routed = new JdbcTransactionManager(new LazyConnectionDataSourceProxy(routing));
		TransactionTemplate readOnly = new TransactionTemplate(routed);
		readOnly.setReadOnly(true);
		LockTemplate locks = locks(routed, guard);
		readOnly.executeWithoutResult((status) -> locks.execute(Client.REQUEST, (lease) -> null));
		assertThat(this.jdbc.queryForList("SELECT resource FROM lock_fence", String.class)).containsExactly("app:{k}");
	}

	/**
	 * A guard of something whose writes are all part of the current transaction.
	 */
	private static final class RecordingGuard implements FencingGuard {

		private final List<String> claims = new ArrayList<>();

		private RuntimeException failure;

		private boolean joins = true;

		@Override
		public void claim(String resource, FencingToken token) {
			if (this.failure != null) {
				throw this.failure;
			}
			this.claims.add(resource);
		}

		@Override
		public boolean joinsCurrentTransaction() {
			return this.joins && TransactionSynchronizationManager.isActualTransactionActive();
		}

	}

}
