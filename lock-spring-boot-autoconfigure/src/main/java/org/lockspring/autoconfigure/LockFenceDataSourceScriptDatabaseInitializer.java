package org.lockspring.autoconfigure;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;

/**
 * Creates the table that remembers fencing tokens. Does not connect to a database that it
 * has nothing to do in: an application that never fences must start without it.
 *
 * @since 0.1.0
 */
public class LockFenceDataSourceScriptDatabaseInitializer extends DataSourceScriptDatabaseInitializer {

	/**
	 * Create an initializer.
	 * @param dataSource the guarded data source
	 * @param properties what to run, and where
	 */
	public LockFenceDataSourceScriptDatabaseInitializer(DataSource dataSource, LockFencingJdbcProperties properties) {
		super(dataSource, LockSchemaSettings.of(dataSource, properties));
	}

}
