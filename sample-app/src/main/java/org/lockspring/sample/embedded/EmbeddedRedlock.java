package org.lockspring.sample.embedded;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * One {@link EmbeddedRedis} for each node of a Redlock.
 */
public final class EmbeddedRedlock implements AutoCloseable {

	private final List<EmbeddedRedis> servers = new ArrayList<>();

	/**
	 * Join or start the servers.
	 * @param nodes where they are to answer, on this machine
	 * @throws IOException if one does not answer and cannot be started
	 */
	public EmbeddedRedlock(List<String> nodes) throws IOException {
		for (String node : nodes) {
			this.servers.add(new EmbeddedRedis(URI.create(node).getPort()));
		}
	}

	@Override
	public void close() throws IOException {
		for (EmbeddedRedis server : this.servers) {
			server.close();
		}
	}

	@Override
	public String toString() {
		return this.servers.toString();
	}

}
