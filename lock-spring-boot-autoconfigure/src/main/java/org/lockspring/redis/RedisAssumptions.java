package org.lockspring.redis;

import java.util.List;
import java.util.Properties;

import org.jspecify.annotations.Nullable;
import org.lockspring.Assumption;
import org.lockspring.Assumption.Finding;
import org.lockspring.LockMode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * What locks on one Redis rest on, checked with {@code INFO} where it tells.
 */
final class RedisAssumptions {

	private final RedisConnectionFactory connectionFactory;

	RedisAssumptions(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	List<Assumption> of(LockMode mode) {
		Properties info = info();
		Assumption noEviction = noEviction(info);
		Assumption noFailover = noFailover(info);
		if (mode == LockMode.EFFICIENCY) {
			return List.of(Assumption.unchecked("No holder stalls for longer than its ttl, else two run at once"),
					noEviction, noFailover);
		}
		return List.of(Assumption.unchecked("Every write that matters goes to a resource that checks the token"),
				Assumption.unchecked("The fence counter survives, or the server's clock does not step back behind it"),
				noEviction, noFailover);
	}

	private static Assumption noEviction(@Nullable Properties info) {
		String statement = "Redis does not evict lock entries";
		String policy = property(info, "maxmemory_policy");
		String limit = property(info, "maxmemory");
		if (policy == null || limit == null) {
			return Assumption.unchecked(statement);
		}
		boolean holds = policy.equals("noeviction") || limit.equals("0");
		return new Assumption(statement, holds ? Finding.HOLDS : Finding.VIOLATED,
				"maxmemory-policy is " + policy + ", maxmemory " + limit);
	}

	private static Assumption noFailover(@Nullable Properties info) {
		String statement = "Redis neither restarts without its data nor fails over to a replica that lacks the entry";
		String replicas = property(info, "connected_slaves");
		boolean replicated = replicas != null && !replicas.equals("0");
		return new Assumption(statement, Finding.UNCHECKED,
				replicated ? replicas + " replicas are connected, and replication is asynchronous" : "");
	}

	private static @Nullable String property(@Nullable Properties info, String name) {
		return (info != null) ? info.getProperty(name) : null;
	}

	private @Nullable Properties info() {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return connection.serverCommands().info();
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

}
