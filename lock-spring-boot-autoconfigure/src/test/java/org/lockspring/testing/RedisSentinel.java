package org.lockspring.testing;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A real master with one replica, watched by one sentinel that decides alone.
 */
public final class RedisSentinel implements AutoCloseable {

	/** The name by which the sentinel knows the master. */
	public static final String MASTER_NAME = "mymaster";

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final RedisServer first;

	private final RedisServer second;

	private final RedisServer sentinel;

	private RedisSentinel(RedisServer first, RedisServer second, RedisServer sentinel) {
		this.first = first;
		this.second = second;
		this.sentinel = sentinel;
	}

	/**
	 * Start the three servers.
	 * @return a sentinel that knows the replica, which is in sync
	 */
	public static RedisSentinel start() {
		RedisServer first = RedisServer.start("repl-diskless-sync-delay 0");
		RedisServer second = RedisServer.start("repl-diskless-sync-delay 0",
				"replicaof " + first.host() + " " + first.port());
		RedisServer sentinel = RedisServer
			.startSentinel(List.of("sentinel monitor " + MASTER_NAME + " " + first.host() + " " + first.port() + " 1",
					"sentinel down-after-milliseconds " + MASTER_NAME + " 1000",
					"sentinel failover-timeout " + MASTER_NAME + " 2000"));
		RedisSentinel started = new RedisSentinel(first, second, sentinel);
		try {
			started.lookOften();
			started.awaitReplica();
			return started;
		}
		catch (RuntimeException ex) {
			started.close();
			throw ex;
		}
	}

	private void lookOften() {
		try {
			this.sentinel.command("SENTINEL", "DEBUG", "INFO-PERIOD", "500");
		}
		catch (IllegalStateException ex) {
			// Before Redis 7 it looks every 10 s: a failover only takes longer
		}
	}

	private void awaitReplica() {
		RedisServer replica = replica();
		replica.await(TIMEOUT, () -> replica.info("master_link_status").equals("up"));
		this.sentinel.await(TIMEOUT, () -> {
			String replicas = String.valueOf(this.sentinel.command("SENTINEL", "REPLICAS", MASTER_NAME));
			return replicas.contains("flags, slave,") && replicas.contains("master-link-status, ok");
		});
	}

	/**
	 * Return the server to which clients of the sentinel connect.
	 * @return the master, as the sentinel has it
	 */
	public RedisServer master() {
		Object address = this.sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME);
		String port = String.valueOf(((List<?>) Objects.requireNonNull(address)).get(1));
		return (this.first.port() == Integer.parseInt(port)) ? this.first : this.second;
	}

	/**
	 * Return the other one.
	 * @return the replica
	 */
	public RedisServer replica() {
		return (master() == this.first) ? this.second : this.first;
	}

	/**
	 * Return the sentinel.
	 * @return the server to give to clients, with {@link #MASTER_NAME}
	 */
	public RedisServer sentinel() {
		return this.sentinel;
	}

	/**
	 * Let replica and master change places, both being alive, and wait until the former
	 * master follows.
	 */
	public void failover() {
		RedisServer next = replica();
		this.sentinel.await(TIMEOUT, () -> {
			try {
				return "OK".equals(this.sentinel.command("SENTINEL", "FAILOVER", MASTER_NAME));
			}
			catch (IllegalStateException ex) {
				// INPROG or NOGOODSLAVE: the sentinel is not done with the one before
				return false;
			}
		});
		awaitMaster(next);
		awaitReplica();
	}

	/**
	 * Wait until a server has become master, for example after the other was killed.
	 * @param server the master to be
	 */
	public void awaitMaster(RedisServer server) {
		this.sentinel.await(TIMEOUT, () -> master() == server);
		server.await(TIMEOUT, () -> server.info("role").equals("master"));
	}

	@Override
	public void close() {
		Stream.of(this.sentinel, this.second, this.first).forEach(RedisServer::close);
	}

}
