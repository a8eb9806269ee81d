package org.lockspring.autoconfigure;

import java.sql.Connection;
import java.sql.DriverManager;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.lockspring.testing.TestServers;
import org.lockspring.testing.UsesServer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.context.ImportTestcontainers;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application whose PostgreSQL is a container, connected through
 * {@link ServiceConnection} and nothing else. Skipped where no container engine answers.
 */
@SpringBootTest
@UsesServer("postgresql-container")
@ImportTestcontainers
@Testcontainers(disabledWithoutDocker = true)
class PostgresContainerTests {

	@ServiceConnection
	static final PostgreSQLContainer postgres = new PostgreSQLContainer(
			DockerImageName.parse(image()).asCompatibleSubstituteFor("postgres"))
		.waitingFor(new ConnectionWaitStrategy());

	@Autowired
	JdbcTemplate jdbc;

	@Test
	void connectsToTheContainer(@Autowired DataSource dataSource) throws Exception {
		try (Connection connection = dataSource.getConnection()) {
			TestServers.started("postgresql-container", connection.getMetaData().getDatabaseProductVersion());
			assertThat(connection.getMetaData().getURL())
				.contains(":" + postgres.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT) + "/");
		}
	}

	@Test
	void aCommittedRowIsReadBack() {
		this.jdbc.execute("CREATE TABLE claimed (resource text PRIMARY KEY, token bigint)");
		this.jdbc.update("INSERT INTO claimed VALUES ('order:1', 7)");

		assertThat(this.jdbc.queryForObject("SELECT token FROM claimed", Long.class)).isEqualTo(7);
	}

	private static String image() {
		return System.getenv().getOrDefault("LOCK_TEST_POSTGRES_IMAGE", "postgres:16");
	}

	/**
	 * Waits until a client is served. How often the log says "ready" depends on whether
	 * the image creates its database first.
	 */
	private static final class ConnectionWaitStrategy extends AbstractWaitStrategy {

		@Override
		protected void waitUntilReady() {
			await().atMost(this.startupTimeout).ignoreExceptions().until(() -> {
				try (Connection connection = DriverManager.getConnection(postgres.getJdbcUrl(), postgres.getUsername(),
						postgres.getPassword())) {
					return connection.isValid(1);
				}
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class })
	static class Application {

	}

}
