package org.lockspring.autoconfigure;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.util.StringUtils;

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
		super(dataSource, settings(dataSource, properties));
	}

	private static DatabaseInitializationSettings settings(DataSource dataSource,
			LockFencingJdbcProperties properties) {
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setMode(properties.getInitializeSchema());
		settings.setContinueOnError(properties.isContinueOnError());
		if (properties.getInitializeSchema() == DatabaseInitializationMode.ALWAYS || isEmbedded(dataSource)) {
			PlatformPlaceholderDatabaseDriverResolver resolver = new PlatformPlaceholderDatabaseDriverResolver();
			String platform = properties.getPlatform();
			settings.setSchemaLocations(
					StringUtils.hasText(platform) ? resolver.resolveAll(platform, properties.getSchema())
							: resolver.resolveAll(dataSource, properties.getSchema()));
		}
		return settings;
	}

	private static boolean isEmbedded(DataSource dataSource) {
		ClassLoader classLoader = LockFenceDataSourceScriptDatabaseInitializer.class.getClassLoader();
		return EmbeddedDatabaseConnection.get(classLoader) != EmbeddedDatabaseConnection.NONE
				&& EmbeddedDatabaseConnection.isEmbedded(dataSource);
	}

}
