package org.lockspring.faults.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;

/**
 * Three independent servers, each with a clock of its own. The ways to them are shared by
 * all workers, who have to name the same servers.
 */
final class RedlockStore implements Store {

	private static final int SIZE = 3;

	private final List<StoreClock> clocks = new ArrayList<>();

	private final List<RedisServer> servers = new ArrayList<>();

	private final List<FaultProxy> links = new ArrayList<>();

	RedlockStore() {
		for (int i = 0; i < SIZE; i++) {
			StoreClock clock = new StoreClock();
			this.clocks.add(clock);
			this.servers.add(RedisStore.start(clock.clock()));
			this.links.add(FaultProxy.to(this.servers.get(i)));
		}
	}

	@Override
	public Map<String, String> properties(int worker) {
		return Map.of("lock.redlock.nodes",
				this.links.stream()
					.map((link) -> "redis://" + link.host() + ":" + link.port())
					.collect(Collectors.joining(",")),
				"lock.redlock.quarantine", "3s", "lock.redlock.bootstrap", "true", "lock.redlock.node-timeout",
				"200ms");
	}

	@Override
	public List<FaultProxy> links() {
		return this.links;
	}

	@Override
	public int servers() {
		return SIZE;
	}

	@Override
	public void pause(int server) {
		this.servers.get(server).pause();
	}

	@Override
	public void resume(int server) {
		this.servers.get(server).resume();
	}

	@Override
	public void kill(int server) {
		this.servers.get(server).kill();
	}

	@Override
	public void restart(int server, Memory memory) {
		RedisStore.forget(this.servers.get(server), memory);
		this.servers.get(server).restart();
	}

	@Override
	public void step(int server, Duration by) {
		this.clocks.get(server).step(by);
	}

	@Override
	public void setClocks() {
		this.clocks.forEach((clock) -> clock.set(Duration.ZERO));
	}

	@Override
	public void command(int server, String... command) {
		this.servers.get(server).command(command);
	}

	@Override
	public List<String> entries(String run) {
		return this.servers.stream().flatMap((server) -> RedisStore.entries(server, run).stream()).distinct().toList();
	}

	@Override
	public void close() {
		this.links.forEach(FaultProxy::close);
		this.servers.forEach(RedisServer::close);
	}

}
