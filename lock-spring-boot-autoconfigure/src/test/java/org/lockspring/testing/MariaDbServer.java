package org.lockspring.testing;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * One real {@code mariadbd} for this JVM, as a process, started on first use from the
 * PATH (Debian: {@code mariadb-server}). Killed when the JVM ends. Where it is absent,
 * tests skip themselves:
 * {@code @EnabledIf("org.lockspring.testing.MariaDbServer#isAvailable")}.
 * <p>
 * It also stands in for MySQL, of which there is no package: MySQL Connector/J talks to
 * MariaDB 10.11 ({@link #mysqlDriverDataSource()}). That tests our use of that driver,
 * not MySQL's own locking.
 */
public final class MariaDbServer {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final AtomicInteger databases = new AtomicInteger();

	private static @Nullable MariaDbServer shared;

	private final Path directory = ServerProcess.newDirectory("mariadb");

	private final int port = FreePorts.next();

	private ServerProcess process;

	private MariaDbServer() {
		install();
		this.process = run();
	}

	private ServerProcess run() {
		ServerProcess started = ServerProcess.start(this.directory,
				List.of(program("mariadbd"), "--no-defaults", "--user=" + System.getProperty("user.name"),
						"--datadir=" + this.directory.resolve("data"), "--tmpdir=" + this.directory,
						"--socket=" + this.directory.resolve("socket"), "--port=" + this.port,
						"--bind-address=127.0.0.1", "--skip-name-resolve", "--max-connections=200",
						"--innodb-flush-log-at-trx-commit=2", "--innodb-buffer-pool-size=32M"));
		if (!started.await(TIMEOUT, this::answers)) {
			throw new IllegalStateException("MariaDB does not start: " + started.log());
		}
		return started;
	}

	private void install() {
		ServerProcess install = ServerProcess.start(this.directory,
				List.of(program("mariadb-install-db"), "--no-defaults", "--user=" + System.getProperty("user.name"),
						"--datadir=" + this.directory.resolve("data"), "--auth-root-authentication-method=normal",
						"--skip-test-db"));
		install.await(TIMEOUT, () -> false);
		install.kill();
	}

	private boolean answers() {
		try (Connection connection = open()) {
			TestServers.started("mariadb",
					connection.getMetaData().getDatabaseProductVersion().replaceAll("-.*", "") + " (process)");
			return true;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private Connection open() throws SQLException {
		return DriverManager.getConnection(url("mariadb", "mysql"), "root", "");
	}

	private String url(String driver, String database) {
		return "jdbc:" + driver + "://127.0.0.1:" + this.port + "/" + database;
	}

	private static String program(String name) {
		return Objects.requireNonNull(ServerProcess.findOnPath(name), name).toString();
	}

	/**
	 * Return whether this machine has the server.
	 * @return whether the other methods work
	 */
	public static boolean isAvailable() {
		return ServerProcess.findOnPath("mariadbd") != null && ServerProcess.findOnPath("mariadb-install-db") != null;
	}

	/**
	 * Create an empty database.
	 * @return its data source through MariaDB Connector/J, without a pool: every
	 * connection is a new one
	 */
	public static DataSource freshDatabase() {
		return dataSource("mariadb");
	}

	/**
	 * Create an empty database.
	 * @return its data source through MySQL Connector/J, without a pool: every connection
	 * is a new one
	 */
	public static DataSource mysqlDriverDataSource() {
		return dataSource("mysql");
	}

	/**
	 * Return the port on 127.0.0.1, for example for a {@link FaultProxy}.
	 * @return the port
	 */
	public static int port() {
		return shared().port;
	}

	/** Stop the server with SIGSTOP. */
	public static void pause() {
		shared().process.signal("STOP");
	}

	/** Let the server go on. */
	public static void resume() {
		shared().process.signal("CONT");
	}

	/**
	 * Kill the server with signal 9, and start it again. What was committed is still
	 * there.
	 */
	public static void crash() {
		MariaDbServer server = shared();
		server.process.kill();
		server.process = server.run();
	}

	private static DataSource dataSource(String driver) {
		MariaDbServer server = shared();
		String name = "test" + databases.incrementAndGet();
		try (Connection connection = server.open(); var statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return new DriverManagerDataSource(server.url(driver, name), "root", "");
	}

	private static synchronized MariaDbServer shared() {
		MariaDbServer server = shared;
		if (server == null) {
			server = new MariaDbServer();
			shared = server;
		}
		return server;
	}

}
