package org.lockspring.faults.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.GetOption;
import org.lockspring.faults.worker.Workers;
import org.lockspring.testing.EtcdServer;
import org.lockspring.testing.FaultProxy;

/**
 * One etcd.
 */
final class EtcdStore implements Store {

	private final EtcdServer server = EtcdServer.start();

	private final List<FaultProxy> links = IntStream.range(0, Workers.SIZE)
		.mapToObj((worker) -> FaultProxy.to("127.0.0.1", this.server.port()))
		.toList();

	@Override
	public Map<String, String> properties(int worker) {
		return Map.of("lock.etcd.endpoints", "http://127.0.0.1:" + this.links.get(worker).port(), "lock.etcd.timeout",
				"1s");
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
		this.server.kill();
	}

	@Override
	public void restart(int index, Memory memory) {
		if (memory == Memory.ALL) {
			this.server.restart();
			this.server.awaitHealth();
			return;
		}
		try {
			this.server.restartEmpty();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public List<String> entries(String run) {
		try (Client client = Client.builder().endpoints(this.server.endpoint()).build()) {
			return client.getKVClient()
				.get(ByteSequence.from("faults", StandardCharsets.UTF_8), GetOption.builder().isPrefix(true).build())
				.get(10, TimeUnit.SECONDS)
				.getKvs()
				.stream()
				.map((entry) -> entry.getKey().toString(StandardCharsets.UTF_8))
				.filter((key) -> key.contains(run + "/"))
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
	}

}
