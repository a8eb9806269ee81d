package org.lockspring.faults.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.lockspring.faults.worker.Workers;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.FreePorts;
import org.lockspring.testing.TestJvm;
import org.springframework.util.FileSystemUtils;

/**
 * One ZooKeeper in a JVM of its own, with ticks so short that short sessions are
 * possible.
 */
final class ZooKeeperStore implements Store {

	private static final String TICK = "200";

	private final int port = FreePorts.next();

	private final Path data;

	private TestJvm server;

	private final List<FaultProxy> links = IntStream.range(0, Workers.SIZE)
		.mapToObj((worker) -> FaultProxy.to("127.0.0.1", this.port))
		.toList();

	ZooKeeperStore() {
		try {
			this.data = Files.createTempDirectory("zookeeper");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server = launch();
	}

	private TestJvm launch() {
		TestJvm launched = TestJvm.start(null,
				List.of("-Xmx96m", "-XX:+UseSerialGC", "-Dzookeeper.admin.enableServer=false"),
				ZooKeeperServerMain.class, List.of(String.valueOf(this.port), this.data.toString(), TICK));
		launched.await(Duration.ofSeconds(60), this::answers);
		return launched;
	}

	private boolean answers() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Override
	public Map<String, String> properties(int worker) {
		return Map.of("lock.zookeeper.connect-string", "127.0.0.1:" + this.links.get(worker).port(),
				"lock.zookeeper.session-timeout", "2s", "lock.zookeeper.timeout", "1s");
	}

	@Override
	public List<FaultProxy> links() {
		return this.links;
	}

	@Override
	public void pause(int index) {
		this.server.pause();
	}

	@Override
	public void resume(int index) {
		this.server.resume();
	}

	@Override
	public void kill(int index) {
		this.server.close();
	}

	@Override
	public void restart(int index, Memory memory) {
		if (memory != Memory.ALL) {
			try {
				FileSystemUtils.deleteRecursively(this.data);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		this.server = launch();
	}

	@Override
	public List<String> entries(String run) {
		try (CuratorFramework client = CuratorFrameworkFactory.newClient("127.0.0.1:" + this.port, 5000, 5000,
				new RetryOneTime(100))) {
			client.start();
			if (client.checkExists().forPath("/lock") == null) {
				return List.of();
			}
			// A slash is no part of a node's name
			return client.getChildren()
				.forPath("/lock")
				.stream()
				.filter((name) -> name.contains(run.replace("/", "~002F") + "~002F"))
				.toList();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.links.forEach(FaultProxy::close);
		this.server.close();
		try {
			FileSystemUtils.deleteRecursively(this.data);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
