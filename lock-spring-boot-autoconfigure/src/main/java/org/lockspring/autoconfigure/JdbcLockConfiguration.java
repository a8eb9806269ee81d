package org.lockspring.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockBackend;
import org.lockspring.annotation.LockDefinitionValidator;
import org.lockspring.core.LockBackends;
import org.lockspring.jdbc.JdbcLockBackend;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.sql.autoconfigure.init.OnDatabaseInitializationCondition;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * By name, or where there is no other backend: most applications have a database, and few
 * of them want their locks there once they have something faster. Comes after the
 * configurations of all others.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ JdbcTemplate.class, DataSourceScriptDatabaseInitializer.class })
@Conditional({ JdbcLockConfiguration.OnLockDataSource.class, JdbcLockConfiguration.OnJdbcBackend.class })
@EnableConfigurationProperties(LockJdbcProperties.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
class JdbcLockConfiguration {

	@Bean
	@ConditionalOnMissingBean
	JdbcLockBackend jdbcLockBackend(ObjectProvider<DataSource> dataSource,
			@LockDataSource ObjectProvider<DataSource> lockDataSource, LockJdbcProperties properties,
			ObjectProvider<DataSourcePoolMetadataProvider> pools) {
		DataSource ofLocks = lockDataSource
			.getIfAvailable(() -> shared(dataSource.getObject(), pools.orderedStream().toList()));
		return new JdbcLockBackend(ofLocks, properties.getRetention(), properties.getTimeout());
	}

	/**
	 * Whoever has a transaction open holds a connection, and his lock needs another.
	 */
	private static DataSource shared(DataSource dataSource, List<DataSourcePoolMetadataProvider> pools) {
		DataSourcePoolMetadata pool = new CompositeDataSourcePoolMetadataProvider(pools)
			.getDataSourcePoolMetadata(dataSource);
		if (pool != null && Integer.valueOf(1).equals(pool.getMax())) {
			throw new InvalidLockDefinitionException("spring.datasource.hikari.maximum-pool-size",
					"a pool of one connection has none left for a lock while a transaction is open",
					"Set it to 2 or more, or give the locks a DataSource bean of their own, marked with @LockDataSource");
		}
		return dataSource;
	}

	@Bean
	@ConditionalOnMissingBean
	@Conditional(OnLockInitialization.class)
	LockDataSourceScriptDatabaseInitializer lockDataSourceScriptDatabaseInitializer(
			ObjectProvider<DataSource> dataSource, @LockDataSource ObjectProvider<DataSource> lockDataSource,
			LockJdbcProperties properties) {
		return new LockDataSourceScriptDatabaseInitializer(lockDataSource.getIfAvailable(dataSource::getObject),
				properties);
	}

	@Bean
	LockTableCheck lockTableCheck(JdbcLockBackend backend, ObjectProvider<LockBackends> backends,
			ObjectProvider<LockDefinitionValidator> definitions) {
		return new LockTableCheck(backend, backends, definitions);
	}

	static class OnLockInitialization extends OnDatabaseInitializationCondition {

		OnLockInitialization() {
			super("Lock", "lock.jdbc.initialize-schema");
		}

	}

	static class OnLockDataSource extends AnyNestedCondition {

		OnLockDataSource() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnSingleCandidate(DataSource.class)
		static class TheOnlyOne {

		}

		@ConditionalOnBean(annotation = LockDataSource.class)
		static class Marked {

		}

	}

	static class OnJdbcBackend extends AnyNestedCondition {

		OnJdbcBackend() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty(name = "lock.efficiency.backend", havingValue = "jdbc")
		static class ForEfficiency {

		}

		@ConditionalOnProperty(name = "lock.correctness.backend", havingValue = "jdbc")
		static class ForCorrectness {

		}

		@ConditionalOnMissingBean(LockBackend.class)
		static class NoOther {

		}

	}

}
