package org.lockspring.autoconfigure;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;

/**
 * Creates the table of the backend 'jdbc'. Does not connect to a database that it has
 * nothing to do in.
 *
 * @since 0.1.0
 */
public class LockDataSourceScriptDatabaseInitializer extends DataSourceScriptDatabaseInitializer {

	/**
	 * Create an initializer.
	 * @param dataSource the data source of the locks
	 * @param properties what to run, and where
	 */
	public LockDataSourceScriptDatabaseInitializer(DataSource dataSource, LockJdbcProperties properties) {
		super(dataSource, LockSchemaSettings.of(dataSource, properties));
	}

}
