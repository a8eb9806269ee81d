package org.lockspring.faults.worker;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.lockspring.autoconfigure.LockDataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A way of their own to the database for the locks, so that they can be cut off while the
 * resources can be reached.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("faults.lock-url")
class JdbcLocks {

	@Bean(defaultCandidate = false)
	@LockDataSource
	DataSource lockDataSource(@Value("${faults.lock-url}") String url) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setUsername("postgres");
		config.setPassword("postgres");
		config.setMaximumPoolSize(8);
		config.setMinimumIdle(1);
		config.setConnectionTimeout(1000);
		config.setValidationTimeout(500);
		config.setInitializationFailTimeout(-1);
		return new HikariDataSource(config);
	}

}
