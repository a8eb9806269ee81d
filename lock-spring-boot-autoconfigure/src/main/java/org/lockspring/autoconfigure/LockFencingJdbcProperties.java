package org.lockspring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

/**
 * Properties of the table that remembers fencing tokens.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("lock.fencing.jdbc")
public class LockFencingJdbcProperties extends DatabaseInitializationProperties {

	// Optional: a database that we have no script for must not stop an application
	private static final String DEFAULT_SCHEMA_LOCATION = "optional:classpath:org/lockspring/jdbc/"
			+ "schema-fence-@@platform@@.sql";

	/**
	 * Name of the DataSource bean that is guarded. Defaults to the primary one.
	 */
	private @Nullable String dataSource;

	public @Nullable String getDataSource() {
		return this.dataSource;
	}

	public void setDataSource(@Nullable String dataSource) {
		this.dataSource = dataSource;
	}

	@Override
	public String getDefaultSchemaLocation() {
		return DEFAULT_SCHEMA_LOCATION;
	}

}
