package org.lockspring.redis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.RedisCluster;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A master of a Cluster, and its replica, change places. */
@UsesServer("redis")
class RedisClusterFailoverTests {

	private static final String NAME = "app:{k}";

	private static final LockRequest REQUEST = LockRequest.of("k")
		.withMode(LockMode.CORRECTNESS)
		.withTtl(Duration.ofSeconds(60));

	@Test
	void bothInstancesLockAfterAFailoverAndNothingIsLeft() {
		try (RedisCluster cluster = RedisCluster.start(); RedisServer replica = cluster.startReplicaFor(NAME)) {
			LettuceConnectionFactory one = connect(cluster);
			LettuceConnectionFactory other = connect(cluster);
			try (LockTemplate first = template(one); LockTemplate second = template(other)) {
				// A release on a Cluster with replicas takes the key away at once
				first.acquire(REQUEST).close();
				assertThat(cluster.command("EXISTS", NAME)).isEqualTo(0L);
				second.acquire(REQUEST).close();

				LockLease held = first.acquire(REQUEST);
				long token = held.fencingToken().value();
				replica.command("CLUSTER", "FAILOVER");
				await().until(() -> replica.info("role").equals("master"));
				held.close();
				for (LockTemplate template : List.of(second, first, second, first)) {
					LockLease lease = await().ignoreExceptions()
						.until(() -> template.acquire(REQUEST), (taken) -> true);
					assertThat(lease.fencingToken().value()).isGreaterThan(token);
					token = lease.fencingToken().value();
					lease.close();
				}
				await().untilAsserted(() -> assertThat(replica.command("EXISTS", NAME)).isEqualTo(0L));
				assertThat((List<?>) replica.command("KEYS", "app:*"))
					.allSatisfy((key) -> assertThat((long) replica.command("PTTL", (String) key)).isPositive());
			}
			finally {
				one.destroy();
				other.destroy();
			}
		}
	}

	private static LockTemplate template(LettuceConnectionFactory connections) {
		return new LockTemplate(new RedisLockBackend(connections, Duration.ofDays(7), "cluster"),
				new LockSettings("app"));
	}

	private static LettuceConnectionFactory connect(RedisCluster cluster) {
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				new RedisClusterConfiguration(cluster.nodes().stream().map(RedisServer::toString).toList()),
				LettuceClientConfiguration.builder()
					.commandTimeout(Duration.ofSeconds(2))
					.shutdownTimeout(Duration.ZERO)
					.build());
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

}
