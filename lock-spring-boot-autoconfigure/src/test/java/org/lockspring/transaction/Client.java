package org.lockspring.transaction;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.jpa.HibernatePersistenceProvider;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockBackends;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.fencing.FencingGuard;
import org.lockspring.jdbc.JdbcFencingGuard;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * One instance of an application: its own pool of two connections, transaction manager
 * and locks.
 */
final class Client implements AutoCloseable {

	static final LockRequest REQUEST = LockRequest.of("k").withMode(LockMode.CORRECTNESS).withAutoRenew(false);

	final HikariDataSource pool = new HikariDataSource();

	final AbstractPlatformTransactionManager manager;

	final TransactionTemplate transaction;

	final JdbcTemplate jdbc;

	final LockTemplate locks;

	private final LocalContainerEntityManagerFactoryBean jpa;

	private Client(DataSource database, LockBackend store, Options options) {
		this.pool.setDataSource(database);
		this.pool.setMaximumPoolSize(2);
		this.pool.setConnectionTimeout(20_000);
		this.pool.setAutoCommit(options.autoCommit);
		this.jdbc = new JdbcTemplate(this.pool);
		this.jpa = (options.manager == Manager.JPA) ? entityManagerFactory(this.pool) : null;
		if (this.jpa != null) {
			EntityManagerFactory factory = Objects.requireNonNull(this.jpa.getObject());
			JpaTransactionManager jpaManager = new JpaTransactionManager(factory);
			jpaManager.setJpaDialect(new HibernateJpaDialect());
			jpaManager.afterPropertiesSet();
			this.manager = jpaManager;
		}
		else {
			this.manager = new JdbcTransactionManager(this.pool);
		}
		this.transaction = new TransactionTemplate(this.manager);
		List<FencingGuard> guards = options.guarded
				? List.of(new JdbcFencingGuard(this.pool, "memory", Duration.ofSeconds(20))) : List.of();
		TransactionFence fence = new TransactionFence(() -> guards, options.claimOnAcquire);
		if (options.listener) {
			this.manager.addListener(fence);
		}
		this.locks = new LockTemplate(new LockBackends(store, store), new LockSettings("app"),
				List.of(fence, new DeferredRelease()));
	}

	static Client of(DataSource database, LockBackend store) {
		return of(database, store, new Options());
	}

	static Client of(DataSource database, LockBackend store, Options options) {
		return new Client(database, store, options);
	}

	private static LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
		LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
		bean.setDataSource(dataSource);
		bean.setPersistenceProviderClass(HibernatePersistenceProvider.class);
		bean.setPersistenceUnitName("test");
		bean.setManagedTypes(org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes.of());
		bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		bean.setJpaPropertyMap(Map.of());
		bean.afterPropertiesSet();
		return bean;
	}

	TransactionTemplate requiresNew() {
		TransactionTemplate inner = new TransactionTemplate(this.manager);
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		return inner;
	}

	TransactionTemplate readOnly() {
		TransactionTemplate readOnly = new TransactionTemplate(this.manager);
		readOnly.setReadOnly(true);
		return readOnly;
	}

	int balance() {
		return Objects
			.requireNonNull(this.jdbc.queryForObject("SELECT balance FROM account WHERE id = 1", Integer.class));
	}

	void write(int balance) {
		this.jdbc.update("UPDATE account SET balance = ? WHERE id = 1", balance);
	}

	void deposit(int amount) {
		this.transaction.executeWithoutResult((status) -> write(balance() + amount));
	}

	List<Long> claimed() {
		return this.jdbc.queryForList("SELECT token FROM lock_fence", Long.class);
	}

	@Override
	public void close() {
		if (this.jpa != null) {
			this.jpa.destroy();
		}
		this.pool.close();
	}

	enum Manager {

		JDBC, JPA

	}

	static final class Options {

		Manager manager = Manager.JDBC;

		boolean claimOnAcquire = true;

		boolean guarded = true;

		boolean listener = true;

		boolean autoCommit = true;

		Options manager(Manager manager) {
			this.manager = manager;
			return this;
		}

		Options claimOnAcquire(boolean claimOnAcquire) {
			this.claimOnAcquire = claimOnAcquire;
			return this;
		}

		Options guarded(boolean guarded) {
			this.guarded = guarded;
			return this;
		}

		Options autoCommit(boolean autoCommit) {
			this.autoCommit = autoCommit;
			return this;
		}

		Options listener(boolean listener) {
			this.listener = listener;
			return this;
		}

	}

}
