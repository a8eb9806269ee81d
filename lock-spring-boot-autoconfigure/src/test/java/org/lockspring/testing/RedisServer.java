package org.lockspring.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * A real {@code redis-server} as a process on a free port of the loopback interface,
 * without persistence unless asked for. Which executable is run is told by
 * {@link RedisBinary}. Killed when it is closed, at the latest when the JVM ends.
 */
public final class RedisServer implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static @Nullable RedisServer shared;

	private final Path directory = ServerProcess.newDirectory("redis");

	private final List<String> configuration;

	private final boolean sentinel;

	private final @Nullable SteppedClock clock;

	private int port;

	private ServerProcess process;

	private RedisServer(boolean sentinel, List<String> configuration, @Nullable SteppedClock clock) {
		this.configuration = configuration;
		this.sentinel = sentinel;
		this.clock = clock;
		this.port = FreePorts.next();
		ServerProcess started = launch();
		for (int i = 0; started == null && i < 5; i++) {
			this.port = FreePorts.next();
			started = launch();
		}
		this.process = required(started);
		TestServers.started("redis", info("redis_version") + " (" + RedisBinary.get().origin() + ")");
	}

	/**
	 * Start a server of one's own.
	 * @param configuration lines of {@code redis.conf}, for example
	 * {@code "appendonly yes"} or {@code "maxmemory 2mb"}; a leading {@code --} does not
	 * matter. They override the defaults
	 * @return a server that answers
	 */
	public static RedisServer start(String... configuration) {
		return new RedisServer(false, List.of(configuration), null);
	}

	/**
	 * Start a server of one's own with a clock of its own.
	 * @param clock the wall clock
	 * @param configuration as for {@link #start(String...)}
	 * @return a server that answers
	 */
	public static RedisServer start(SteppedClock clock, String... configuration) {
		return new RedisServer(false, List.of(configuration), clock);
	}

	static RedisServer startSentinel(List<String> configuration) {
		return new RedisServer(true, configuration, null);
	}

	/**
	 * Return the one server of this JVM for tests without faults. Call {@link #flush()}
	 * before each test; never pause, kill, close or configure it.
	 * @return a server that answers
	 */
	public static synchronized RedisServer shared() {
		RedisServer server = shared;
		if (server == null) {
			server = start();
			shared = server;
		}
		return server;
	}

	private @Nullable ServerProcess launch() {
		List<String> lines = new ArrayList<>(List.of("port " + this.port, "bind 127.0.0.1", "dir " + this.directory));
		if (!this.sentinel) {
			lines.addAll(List.of("save \"\"", "appendonly no"));
		}
		this.configuration.forEach((line) -> lines.add(line.startsWith("--") ? line.substring(2) : line));
		List<String> command = new ArrayList<>((this.clock != null) ? this.clock.command() : List.of());
		command.addAll(List.of(RedisBinary.get().path(), this.directory.resolve("redis.conf").toString()));
		if (this.sentinel) {
			command.add("--sentinel");
		}
		try {
			Files.write(this.directory.resolve("redis.conf"), lines);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		ServerProcess started = ServerProcess.start(this.directory, command);
		if (started.await(Duration.ofSeconds(20), () -> answersAs(started.pid()))) {
			return started;
		}
		started.kill();
		if (!started.log().contains("already in use")) {
			throw new IllegalStateException("Redis does not start: " + started.log());
		}
		return null;
	}

	private ServerProcess required(@Nullable ServerProcess started) {
		if (started == null) {
			throw new IllegalStateException("Port " + this.port + " is in use");
		}
		return started;
	}

	/** Another server on the same port would answer too. */
	private boolean answersAs(long pid) {
		try {
			return "PONG".equals(command("PING")) && info("process_id").equals(String.valueOf(pid));
		}
		catch (UncheckedIOException | IllegalStateException ex) {
			return false;
		}
	}

	void await(Duration timeout, BooleanSupplier condition) {
		if (!this.process.await(timeout, () -> holds(condition))) {
			throw new IllegalStateException("Redis at " + this + " does not get there: " + this.process.log());
		}
	}

	/** A server that changes its role drops its clients. */
	private static boolean holds(BooleanSupplier condition) {
		try {
			return condition.getAsBoolean();
		}
		catch (UncheckedIOException ex) {
			return false;
		}
	}

	public String host() {
		return "127.0.0.1";
	}

	public int port() {
		return this.port;
	}

	/**
	 * Return where the server keeps its files, for example {@code appendonlydir}.
	 * @return the working directory
	 */
	public Path directory() {
		return this.directory;
	}

	/**
	 * Send one command over a connection of its own.
	 * @param args the command and its arguments
	 * @return a {@code String}, a {@code Long}, a {@code List} of those, or {@code null}
	 * @throws IllegalStateException if Redis answers with an error
	 * @throws UncheckedIOException if Redis does not answer within 5 s
	 */
	public @Nullable Object command(String... args) {
		try (RespConnection connection = connect(TIMEOUT)) {
			return connection.command(args);
		}
	}

	/**
	 * Open a connection, with the password if {@code requirepass} was configured.
	 * @param timeout the longest wait for an answer
	 * @return an open connection
	 */
	public RespConnection connect(Duration timeout) {
		RespConnection connection = new RespConnection(host(), this.port, timeout);
		for (String line : this.configuration) {
			String[] words = line.trim().split("\\s+");
			if (words[0].toLowerCase(Locale.ROOT).endsWith("requirepass")) {
				connection.command("AUTH", words[1]);
			}
		}
		return connection;
	}

	/**
	 * Return one field of {@code INFO ALL}.
	 * @param field the field, for example {@code run_id} or {@code cmdstat_evalsha}
	 * @return its value; empty if there is none
	 */
	public String info(String field) {
		String info = String.valueOf(command("INFO", "all"));
		return info.lines()
			.filter((line) -> line.startsWith(field + ":"))
			.map((line) -> line.substring(field.length() + 1))
			.findFirst()
			.orElse("");
	}

	/** Remove all keys; scripts stay cached. */
	public void flush() {
		command("FLUSHALL");
	}

	/**
	 * Stop the process with SIGSTOP: connections stay open, nothing is answered. Returns
	 * when it has stopped.
	 */
	public void pause() {
		this.process.signal("STOP");
		Path stat = Path.of("/proc", String.valueOf(this.process.pid()), "stat");
		if (Files.exists(stat)) {
			await(TIMEOUT, () -> isStopped(stat));
		}
	}

	private static boolean isStopped(Path stat) {
		try {
			return Files.readString(stat).contains(") T ");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Continue after {@link #pause()}; what was sent meanwhile is executed. */
	public void resume() {
		this.process.signal("CONT");
	}

	/** Kill with signal 9 and wait for the end. Clients see a closed connection. */
	public void kill() {
		this.process.kill();
	}

	/**
	 * Kill if it runs, and start again on the same port with the same configuration:
	 * empty, unless persistence was configured. {@code CONFIG SET} is forgotten.
	 */
	public void restart() {
		kill();
		this.process = required(launch());
	}

	@Override
	public void close() {
		kill();
		ServerProcess.deleteDirectory(this.directory);
	}

	@Override
	public String toString() {
		return host() + ":" + this.port;
	}

}
