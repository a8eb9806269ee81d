package org.lockspring.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lettuce.core.RedisURI;
import org.lockspring.InvalidLockDefinitionException;

/**
 * What a {@link RedlockBackend} is made of.
 *
 * @param nodes where the servers are, at least 3: independent masters, none a replica of
 * another. All applications that share locks name the same ones in the same way
 * @param quorum how many of them decide, more than half
 * @param nodeTimeout how long one server may take to answer, small against every ttl
 * @param quarantine how long a server that may have forgotten something grants nothing:
 * at least the largest ttl, at least 2 s, and more than the servers' clocks are apart
 * @param bootstrap whether servers that are all new grant at once
 * @param confirm whether every acquisition takes a second round, so that there is a
 * moment at which the caller owns a quorum without regard to any clock
 * @param namespace what keeps the servers' counters apart from another application's
 * @since 0.1.0
 */
public record RedlockSettings(List<RedisURI> nodes, int quorum, Duration nodeTimeout, Duration quarantine,
		boolean bootstrap, boolean confirm, String namespace) {

	private static final int FEWEST_NODES = 3;

	private static final Duration SHORTEST_QUARANTINE = Duration.ofSeconds(2);

	/**
	 * Create settings.
	 * @throws InvalidLockDefinitionException if they cannot work
	 */
	public RedlockSettings {
		nodes = List.copyOf(nodes);
		if (nodes.size() < FEWEST_NODES) {
			throw new InvalidLockDefinitionException("lock.redlock.nodes",
					"%d are too few: with fewer than 3 no server may fail".formatted(nodes.size()),
					"Name 3 or 5 independent servers, or use the backend 'redis' for a single one");
		}
		if (addresses(nodes).distinct().count() < nodes.size()) {
			throw new InvalidLockDefinitionException("lock.redlock.nodes", "a server is named twice",
					"Name each once: one server has one vote");
		}
		if (!RedlockRules.isQuorum(quorum, nodes.size())) {
			throw new InvalidLockDefinitionException("lock.redlock.quorum",
					"%d of %d is not more than half, or more than all: two callers could both have it".formatted(quorum,
							nodes.size()),
					"Set it from %d to %d, or leave it out".formatted(RedlockRules.majority(nodes.size()),
							nodes.size()));
		}
		if (nodeTimeout.toMillis() < 1) {
			throw new InvalidLockDefinitionException("lock.redlock.node-timeout", nodeTimeout + " is too short",
					"Set it to some round trips, for example 100ms");
		}
		if (quarantine.compareTo(SHORTEST_QUARANTINE) < 0) {
			throw new InvalidLockDefinitionException("lock.redlock.quarantine", quarantine + " is shorter than 2s",
					"Set it to at least the largest ttl");
		}
	}

	/**
	 * Settings with a majority, 100 ms for an answer and a quarantine of a minute.
	 * @param nodes where the servers are
	 * @param namespace what keeps the servers' counters apart from another application's
	 */
	public RedlockSettings(List<RedisURI> nodes, String namespace) {
		this(nodes, RedlockRules.majority(nodes.size()), Duration.ofMillis(100), Duration.ofMinutes(1), false, false,
				namespace);
	}

	/**
	 * The hash on each server.
	 */
	String stateKey() {
		return this.namespace + ":redlock";
	}

	/**
	 * What each server is told, and compares: who shares locks must ask the same servers.
	 */
	String fingerprint() {
		return addresses(this.nodes).sorted().collect(Collectors.joining(",")) + "/" + this.quorum;
	}

	static String address(RedisURI node) {
		return node.getHost() + ":" + node.getPort();
	}

	private static Stream<String> addresses(List<RedisURI> nodes) {
		return nodes.stream().map(RedlockSettings::address);
	}

}
