package org.lockspring.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * A real {@code etcd} as a process on free ports of the loopback interface, from the PATH
 * (Debian: {@code etcd-server}). Where it is absent, tests skip themselves:
 * {@code @EnabledIf("org.lockspring.testing.EtcdServer#isAvailable")}. Killed when it is
 * closed, at the latest when the JVM ends.
 */
public final class EtcdServer implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();

	private static @Nullable EtcdServer shared;

	private final Path directory = ServerProcess.newDirectory("etcd");

	private final String name;

	private final int port;

	private final int metricsPort = FreePorts.next();

	private final String cluster;

	private final List<String> options;

	private ServerProcess process;

	private EtcdServer(String name, int port, String cluster, String... options) {
		this.name = name;
		this.port = port;
		this.cluster = cluster;
		this.options = List.of(options);
		this.process = launch();
	}

	/**
	 * Start a server of one's own that counts a lease of one second as such: with etcd's
	 * own heartbeat, two are the least.
	 * @param options more options of the command
	 * @return a server that answers
	 */
	public static EtcdServer start(String... options) {
		int port = FreePorts.next();
		List<String> all = new ArrayList<>(List.of("--heartbeat-interval=50", "--election-timeout=500"));
		all.addAll(List.of(options));
		EtcdServer server = new EtcdServer("one", port, "one=" + peer(port), all.toArray(String[]::new));
		server.awaitHealth();
		return server;
	}

	/**
	 * Start servers that form a cluster.
	 * @param size how many
	 * @return servers that answer
	 */
	public static List<EtcdServer> startCluster(int size) {
		int[] ports = IntStream.range(0, size).map((i) -> FreePorts.next()).toArray();
		String cluster = IntStream.range(0, size)
			.mapToObj((i) -> "n" + i + "=" + peer(ports[i]))
			.collect(Collectors.joining(","));
		List<EtcdServer> servers = IntStream.range(0, size)
			.mapToObj((i) -> new EtcdServer("n" + i, ports[i], cluster))
			.toList();
		servers.forEach(EtcdServer::awaitHealth);
		return servers;
	}

	/**
	 * Return the one server of this JVM for tests without faults. Use keys of your own;
	 * never pause, kill, close or configure it.
	 * @return a server that answers
	 */
	public static synchronized EtcdServer shared() {
		EtcdServer server = shared;
		if (server == null) {
			server = start();
			shared = server;
		}
		return server;
	}

	/**
	 * Return whether this machine has the server.
	 * @return whether the other methods work
	 */
	public static boolean isAvailable() {
		return ServerProcess.findOnPath("etcd") != null;
	}

	private static String peer(int port) {
		return "http://127.0.0.1:" + (port + 10_000);
	}

	private ServerProcess launch() {
		List<String> command = new ArrayList<>(
				List.of(Objects.requireNonNull(ServerProcess.findOnPath("etcd")).toString(), "--name=" + this.name,
						"--data-dir=" + this.directory.resolve("data"), "--listen-peer-urls=" + peer(this.port),
						"--initial-advertise-peer-urls=" + peer(this.port), "--initial-cluster=" + this.cluster,
						"--listen-metrics-urls=http://127.0.0.1:" + this.metricsPort));
		command.addAll(this.options);
		String client = scheme() + "://127.0.0.1:" + this.port;
		command.addAll(List.of("--listen-client-urls=" + client, "--advertise-client-urls=" + client));
		return ServerProcess.start(this.directory, command);
	}

	private String scheme() {
		return this.options.contains("--auto-tls") ? "https" : "http";
	}

	/** Wait until the server has a leader. */
	public void awaitHealth() {
		if (!this.process.await(TIMEOUT, () -> ask("/health").contains("\"true\""))) {
			throw new IllegalStateException("etcd does not start: " + this.process.log());
		}
		TestServers.started("etcd", version() + " (process)");
	}

	private String version() {
		Matcher matcher = Pattern.compile("etcd_server_version\\{server_version=\"([^\"]+)").matcher(ask("/metrics"));
		return matcher.find() ? matcher.group(1) : "";
	}

	/** Return whether this server leads its cluster. */
	public boolean isLeader() {
		return ask("/metrics").contains("etcd_server_is_leader 1");
	}

	/**
	 * Return how many requests of a kind the server has seen.
	 * @param method for example {@code Txn}
	 * @return how many since its start
	 */
	public long requests(String method) {
		return metric("grpc_server_started_total{grpc_method=\"" + method + "\"");
	}

	/** Return how many leases there are, if the server was not started again. */
	public long leases() {
		return metric("etcd_debugging_lease_granted_total ") - metric("etcd_debugging_lease_revoked_total ");
	}

	private long metric(String start) {
		return ask("/metrics").lines()
			.filter((line) -> line.startsWith(start))
			.mapToLong((line) -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
			.sum();
	}

	private String ask(String path) {
		try {
			return http
				.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.metricsPort + path))
					.timeout(Duration.ofSeconds(2))
					.build(), HttpResponse.BodyHandlers.ofString())
				.body();
		}
		catch (IOException ex) {
			return "";
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	public String endpoint() {
		return scheme() + "://127.0.0.1:" + this.port;
	}

	public int port() {
		return this.port;
	}

	/**
	 * Return where the server keeps its data.
	 * @return a directory
	 */
	public Path data() {
		return this.directory.resolve("data");
	}

	/** Stop the process with SIGSTOP: connections stay open, nothing is answered. */
	public void pause() {
		this.process.signal("STOP");
	}

	/** Continue after {@link #pause()}; what was sent meanwhile is executed. */
	public void resume() {
		this.process.signal("CONT");
	}

	/** Kill with signal 9 and wait for the end. */
	public void kill() {
		this.process.kill();
	}

	/** Kill if it runs, and start again with its data. */
	public void restart() {
		kill();
		this.process = launch();
	}

	/** Kill if it runs, and start again with nothing. */
	public void restartEmpty() throws IOException {
		kill();
		FileSystemUtils.deleteRecursively(data());
		this.process = launch();
		awaitHealth();
	}

	@Override
	public void close() {
		kill();
		ServerProcess.deleteDirectory(this.directory);
	}

}
