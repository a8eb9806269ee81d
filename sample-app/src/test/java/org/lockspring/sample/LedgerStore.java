package org.lockspring.sample;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.lockspring.sample.embedded.EmbeddedRedis;
import org.lockspring.sample.embedded.EmbeddedRedlock;

import org.springframework.util.FileSystemUtils;

/**
 * A store of locks for the ledgers of a test.
 *
 * @param arguments what a ledger needs in order to use it
 * @param ttl the time to live of a lock
 * @param blocked how long, at most, a holder that is stopped blocks others
 * @param server to be closed at the end
 */
record LedgerStore(List<String> arguments, Duration ttl, Duration blocked,
		AutoCloseable server) implements AutoCloseable {

	private static final Duration SHORT = Duration.ofMillis(300);

	private static final Duration SECOND = Duration.ofSeconds(1);

	static LedgerStore start(String backend) throws Exception {
		return switch (backend) {
			case "redis" -> redis();
			case "redlock" -> redlock();
			case "jdbc" -> new LedgerStore(List.of(), SHORT, SHORT, () -> {
			});
			case "etcd" -> etcd();
			case "zookeeper" -> zookeeper();
			default -> throw new IllegalArgumentException(backend);
		};
	}

	private static LedgerStore redis() throws IOException {
		int port = FreePort.find();
		return new LedgerStore(List.of("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + port), SHORT,
				SHORT, new EmbeddedRedis(port));
	}

	private static LedgerStore redlock() throws IOException {
		List<String> nodes = Stream.generate(FreePort::find)
			.distinct()
			.limit(5)
			.map((port) -> "redis://127.0.0.1:" + port)
			.toList();
		return new LedgerStore(List.of("--lock.redlock.nodes=" + String.join(",", nodes)), SHORT, SHORT,
				new EmbeddedRedlock(nodes));
	}

	/**
	 * With the least lease that etcd grants: a second, if its servers elect one within
	 * half of it. It looks for those that have ended twice a second.
	 */
	private static LedgerStore etcd() throws IOException, InterruptedException {
		Path directory = Files.createTempDirectory("ledger-etcd");
		int port = FreePort.find();
		String client = "http://127.0.0.1:" + port;
		String peer = "http://127.0.0.1:" + FreePort.find();
		Process process = new ProcessBuilder("etcd", "--data-dir=" + directory, "--heartbeat-interval=50",
				"--election-timeout=500", "--listen-client-urls=" + client, "--advertise-client-urls=" + client,
				"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
				"--initial-cluster=default=" + peer)
			.redirectErrorStream(true)
			.redirectOutput(Redirect.DISCARD)
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
		while (!answers(port)) {
			if (!process.isAlive()) {
				throw new IOException("etcd does not start");
			}
			Thread.sleep(50);
		}
		return new LedgerStore(List.of("--lock.etcd.endpoints=" + client), SECOND, SECOND.plus(SECOND), () -> {
			process.destroyForcibly().waitFor();
			FileSystemUtils.deleteRecursively(directory);
		});
	}

	private static boolean answers(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * With short ticks, so that short sessions are possible.
	 */
	private static LedgerStore zookeeper() throws Exception {
		InstanceSpec spec = new InstanceSpec(null, -1, -1, -1, true, -1, 200, -1, Map.of());
		TestingServer server = new TestingServer(spec, true);
		return new LedgerStore(
				List.of("--lock.zookeeper.connect-string=" + server.getConnectString(),
						"--lock.zookeeper.session-timeout=" + SECOND.toMillis() + "ms"),
				SECOND, SECOND.plus(SHORT), server);
	}

	/**
	 * Return which stores can be started here, of those that are wanted.
	 */
	static List<String> available(String wanted) {
		return Stream.of(wanted.split(",")).filter((backend) -> !backend.equals("etcd") || isOnPath("etcd")).toList();
	}

	private static boolean isOnPath(String command) {
		return Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.map((directory) -> new File(directory, command))
			.anyMatch(File::canExecute);
	}

	@Override
	public void close() throws Exception {
		this.server.close();
	}

}
