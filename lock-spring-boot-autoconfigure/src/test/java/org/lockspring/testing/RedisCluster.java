package org.lockspring.testing;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A real Redis Cluster of three masters without replicas.
 */
public final class RedisCluster implements AutoCloseable {

	private static final int SLOTS = 16384;

	private static final int NODES = 3;

	private final List<RedisServer> nodes;

	private RedisCluster(List<RedisServer> nodes) {
		this.nodes = nodes;
	}

	/**
	 * Start a cluster.
	 * @param configuration further lines of each node's {@code redis.conf}
	 * @return a cluster in which every node knows the owner of every slot
	 */
	public static RedisCluster start(String... configuration) {
		String[] lines = Stream
			.concat(Stream.of("cluster-enabled yes", "cluster-node-timeout 3000"), Stream.of(configuration))
			.toArray(String[]::new);
		RedisCluster cluster = new RedisCluster(Stream.generate(() -> RedisServer.start(lines)).limit(NODES).toList());
		try {
			cluster.join();
			return cluster;
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
	}

	private void join() {
		for (int i = 0; i < NODES; i++) {
			RedisServer node = this.nodes.get(i);
			node.command("CLUSTER", "SET-CONFIG-EPOCH", String.valueOf(i + 1));
			// ADDSLOTSRANGE came with Redis 7
			node.command(Stream
				.concat(Stream.of("CLUSTER", "ADDSLOTS"),
						IntStream.range(firstSlot(i), firstSlot(i + 1)).mapToObj(String::valueOf))
				.toArray(String[]::new));
		}
		for (RedisServer node : this.nodes.subList(1, NODES)) {
			node.command("CLUSTER", "MEET", this.nodes.get(0).host(), String.valueOf(this.nodes.get(0).port()));
		}
		for (RedisServer node : this.nodes) {
			node.await(Duration.ofSeconds(30), () -> isComplete(node));
		}
	}

	private static boolean isComplete(RedisServer node) {
		String info = String.valueOf(node.command("CLUSTER", "INFO"));
		return Stream
			.of("cluster_state:ok", "cluster_slots_ok:" + SLOTS, "cluster_known_nodes:" + NODES,
					"cluster_size:" + NODES)
			.allMatch(info::contains);
	}

	private static int firstSlot(int node) {
		return node * SLOTS / NODES;
	}

	/**
	 * Return the nodes, to pause or kill one, or to connect to.
	 * @return three servers
	 */
	public List<RedisServer> nodes() {
		return this.nodes;
	}

	/**
	 * Return the node that keeps a key.
	 * @param key the key
	 * @return its master
	 */
	public RedisServer nodeOf(String key) {
		long slot = (Long) Objects.requireNonNull(this.nodes.get(0).command("CLUSTER", "KEYSLOT", key));
		int node = NODES - 1;
		while (slot < firstSlot(node)) {
			node--;
		}
		return this.nodes.get(node);
	}

	/**
	 * Send a command to the node of its first key.
	 * @param name the command
	 * @param key its key
	 * @param args what follows
	 * @return as {@link RedisServer#command}
	 */
	public @Nullable Object command(String name, String key, String... args) {
		return nodeOf(key).command(Stream.concat(Stream.of(name, key), Stream.of(args)).toArray(String[]::new));
	}

	/**
	 * Start a replica of the node that keeps a key. It is not one of {@link #nodes()}.
	 * @param key the key
	 * @return a replica that has copied its master; the caller closes it
	 */
	public RedisServer startReplicaFor(String key) {
		RedisServer master = nodeOf(key);
		RedisServer replica = RedisServer.start("cluster-enabled yes", "cluster-node-timeout 3000");
		replica.command("CLUSTER", "MEET", master.host(), String.valueOf(master.port()));
		String id = String.valueOf(master.command("CLUSTER", "MYID"));
		replica.await(Duration.ofSeconds(30), () -> String.valueOf(replica.command("CLUSTER", "INFO"))
			.contains("cluster_known_nodes:" + (NODES + 1)));
		replica.command("CLUSTER", "REPLICATE", id);
		replica.await(Duration.ofSeconds(30), () -> replica.info("master_link_status").equals("up"));
		for (RedisServer node : this.nodes) {
			node.await(Duration.ofSeconds(30),
					() -> String.valueOf(node.command("CLUSTER", "NODES")).contains("slave " + id));
		}
		return replica;
	}

	/** Remove all keys on all nodes. */
	public void flush() {
		this.nodes.forEach(RedisServer::flush);
	}

	@Override
	public void close() {
		this.nodes.forEach(RedisServer::close);
	}

}
