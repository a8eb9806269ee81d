package org.lockspring.autoconfigure;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.util.StringUtils;

/**
 * What an initializer of a table of ours runs. It does not connect to a database that it
 * has nothing to do in: an application that never needs the table must start without it.
 */
final class LockSchemaSettings {

	private LockSchemaSettings() {
	}

	static DatabaseInitializationSettings of(DataSource dataSource, DatabaseInitializationProperties properties) {
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
		ClassLoader classLoader = LockSchemaSettings.class.getClassLoader();
		return EmbeddedDatabaseConnection.get(classLoader) != EmbeddedDatabaseConnection.NONE
				&& EmbeddedDatabaseConnection.isEmbedded(dataSource);
	}

}
