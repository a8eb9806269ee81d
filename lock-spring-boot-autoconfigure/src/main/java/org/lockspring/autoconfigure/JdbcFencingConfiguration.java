package org.lockspring.autoconfigure;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockBackend;
import org.lockspring.core.LockBackends;
import org.lockspring.fencing.FencingGuard;
import org.lockspring.jdbc.JdbcFencingGuard;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.autoconfigure.init.OnDatabaseInitializationCondition;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.StringUtils;

@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ JdbcTemplate.class, DataSourceScriptDatabaseInitializer.class })
@Conditional(JdbcFencingConfiguration.OnGuardedDataSource.class)
@ConditionalOnMissingBean(FencingGuard.class)
@EnableConfigurationProperties(LockFencingJdbcProperties.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
class JdbcFencingConfiguration {

	@Bean
	JdbcFencingGuard jdbcFencingGuard(LockFencingProperties properties, LockFencingJdbcProperties jdbcProperties,
			BeanFactory beanFactory, LockBackends backends) {
		LockBackend origin = backends.correctness();
		return new JdbcFencingGuard(dataSource(jdbcProperties.getDataSource(), beanFactory),
				(origin != null) ? origin.name() : "none", properties.claimTimeout());
	}

	@Bean
	FenceTableCheck fenceTableCheck(JdbcFencingGuard guard) {
		return new FenceTableCheck(guard);
	}

	@Bean
	@ConditionalOnMissingBean
	@Conditional(OnFenceInitialization.class)
	LockFenceDataSourceScriptDatabaseInitializer lockFenceDataSourceScriptDatabaseInitializer(
			LockFencingJdbcProperties properties, BeanFactory beanFactory) {
		return new LockFenceDataSourceScriptDatabaseInitializer(dataSource(properties.getDataSource(), beanFactory),
				properties);
	}

	private static DataSource dataSource(@Nullable String name, BeanFactory beanFactory) {
		if (!StringUtils.hasText(name)) {
			return beanFactory.getBean(DataSource.class);
		}
		try {
			return beanFactory.getBean(name, DataSource.class);
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw new InvalidLockDefinitionException("lock.fencing.jdbc.data-source",
					"there is no DataSource bean '" + name + "'", "Set it to the name of one", ex);
		}
	}

	static class OnFenceInitialization extends OnDatabaseInitializationCondition {

		OnFenceInitialization() {
			super("Lock Fence", "lock.fencing.jdbc.initialize-schema");
		}

	}

	static class OnGuardedDataSource extends AnyNestedCondition {

		OnGuardedDataSource() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnSingleCandidate(DataSource.class)
		static class TheOnlyOne {

		}

		@ConditionalOnBean(DataSource.class)
		@ConditionalOnProperty("lock.fencing.jdbc.data-source")
		static class Named {

		}

	}

}
