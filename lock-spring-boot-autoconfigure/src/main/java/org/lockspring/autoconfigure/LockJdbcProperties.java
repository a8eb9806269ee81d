package org.lockspring.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

/**
 * Properties of the backend 'jdbc'.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("lock.jdbc")
public class LockJdbcProperties extends DatabaseInitializationProperties {

	// Optional: a database that we have no script for must not stop an application
	private static final String DEFAULT_SCHEMA_LOCATION = "optional:classpath:org/lockspring/jdbc/"
			+ "schema-lock-@@platform@@.sql";

	/**
	 * Time that the row of a lock outlives its last use.
	 */
	private Duration retention = Duration.ofDays(7);

	/**
	 * Time that one statement may take, rounded up to seconds.
	 */
	private Duration timeout = Duration.ofSeconds(5);

	public Duration getRetention() {
		return this.retention;
	}

	public void setRetention(Duration retention) {
		this.retention = retention;
	}

	public Duration getTimeout() {
		return this.timeout;
	}

	public void setTimeout(Duration timeout) {
		this.timeout = timeout;
	}

	@Override
	public String getDefaultSchemaLocation() {
		return DEFAULT_SCHEMA_LOCATION;
	}

}
