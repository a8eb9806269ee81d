package org.lockspring.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Several independent {@link RedisServer}s, each behind a {@link FaultProxy}.
 */
public final class RedisServers implements AutoCloseable {

	private final List<RedisServer> servers = new ArrayList<>();

	private final List<FaultProxy> proxies = new ArrayList<>();

	private final List<SteppedClock> clocks = new ArrayList<>();

	private RedisServers(int size, boolean clocks, String... configuration) {
		for (int i = 0; i < size; i++) {
			if (clocks) {
				this.clocks.add(new SteppedClock());
			}
			RedisServer server = clocks ? RedisServer.start(this.clocks.get(i), configuration)
					: RedisServer.start(configuration);
			this.servers.add(server);
			this.proxies.add(FaultProxy.to(server));
		}
	}

	public static RedisServers start(int size, String... configuration) {
		return new RedisServers(size, false, configuration);
	}

	/**
	 * Start servers each of which has a clock of its own.
	 * @param size how many
	 * @return servers that answer
	 */
	public static RedisServers startWithClocks(int size) {
		return new RedisServers(size, true);
	}

	public SteppedClock clock(int index) {
		return this.clocks.get(index);
	}

	public int size() {
		return this.servers.size();
	}

	public RedisServer server(int index) {
		return this.servers.get(index);
	}

	public FaultProxy proxy(int index) {
		return this.proxies.get(index);
	}

	public List<RedisServer> servers() {
		return List.copyOf(this.servers);
	}

	/**
	 * Return where the servers are without their proxies.
	 * @return URIs
	 */
	public List<String> uris() {
		return this.servers.stream().map((server) -> "redis://" + server).toList();
	}

	public List<String> proxyUris() {
		return this.proxies.stream().map((proxy) -> "redis://" + proxy.host() + ":" + proxy.port()).toList();
	}

	/** Remove all keys of all servers. */
	public void flush() {
		this.servers.forEach(RedisServer::flush);
	}

	/**
	 * Return the keys of a pattern on each server.
	 * @param pattern as for {@code KEYS}
	 * @return the keys of all servers, one list
	 */
	public List<Object> keys(String pattern) {
		return this.servers.stream()
			.flatMap((server) -> (server.command("KEYS", pattern) instanceof List<?> keys) ? keys.stream()
					: Stream.empty())
			.map(Object.class::cast)
			.toList();
	}

	@Override
	public void close() {
		this.proxies.forEach(FaultProxy::close);
		this.servers.forEach(RedisServer::close);
	}

}
