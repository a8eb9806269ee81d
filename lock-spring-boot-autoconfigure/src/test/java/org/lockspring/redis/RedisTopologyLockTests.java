package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.Acquisition;
import org.lockspring.CurrentLock;
import org.lockspring.LockAttempt;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.RedisCluster;
import org.lockspring.testing.RedisSentinel;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The same code under Sentinel and in a Cluster, over both clients. */
@UsesServer("redis")
class RedisTopologyLockTests {

	private static final List<String> STRANGE_KEYS = List.of("a", "b{x}", "{u}:1", "}{", "{}", "order:1", "%7B",
			"zwölf", "line\r\nbreak");

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void clusterServesEveryKeyWithAllEntriesOfALockInOneSlot(String client) {
		try (RedisCluster cluster = RedisCluster.start()) {
			String nodes = String.join(",", cluster.nodes().stream().map(RedisServer::toString).toList());
			with(client, List.of("spring.data.redis.cluster.nodes=" + nodes), (template) -> {
				for (LockMode mode : LockMode.values()) {
					List<LockLease> leases = new ArrayList<>();
					for (String key : STRANGE_KEYS) {
						LockLease lease = template.acquire(LockRequest.of(key).withMode(mode));
						lease.extend(Duration.ofSeconds(60));
						leases.add(lease);
						assertThat(cluster.command("EXISTS", lease.name())).isEqualTo(1L);
						assertThat(slot(cluster, lease.name())).isEqualTo(slot(cluster, lease.name() + ":fence"));
					}
					leases.forEach(LockLease::close);
					leases.forEach((lease) -> assertThat(cluster.command("EXISTS", lease.name())).isEqualTo(0L));
				}
				return null;
			});
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void clusterRenewsManyLocksAtOnce(String client) {
		try (RedisCluster cluster = RedisCluster.start()) {
			String nodes = String.join(",", cluster.nodes().stream().map(RedisServer::toString).toList());
			with(client, List.of("spring.data.redis.cluster.nodes=" + nodes), (template) -> {
				STRANGE_KEYS.forEach((key) -> template.execute(key, (lease) -> null));
				List<LockLease> leases = new ArrayList<>();
				for (int i = 0; i < 50; i++) {
					leases.add(template.acquire(
							LockRequest.of("k" + i).withMode(LockMode.values()[i % 2]).withTtl(Duration.ofSeconds(3))));
				}
				long end = System.nanoTime() + Duration.ofSeconds(9).toNanos();
				await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(50)).until(() -> {
					assertThat(leases).allMatch(LockLease::isValid);
					return System.nanoTime() - end > 0;
				});
				leases.forEach((lease) -> assertThat(cluster.command("EXISTS", lease.name())).isEqualTo(1L));
				leases.forEach((lease) -> cluster.command("DEL", lease.name()));
				await().until(() -> leases.stream().noneMatch(LockLease::isValid));
				leases.forEach(LockLease::close);
				return null;
			});
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void clusterSignalsReleasesOnAllNodes(String client) {
		try (RedisCluster cluster = RedisCluster.start()) {
			String nodes = String.join(",", cluster.nodes().stream().map(RedisServer::toString).toList());
			withBackend(client, List.of("spring.data.redis.cluster.nodes=" + nodes), (backend) -> {
				for (int i = 0; i < 20; i++) {
					String name = "app:{k" + i + "}";
					AtomicInteger signals = new AtomicInteger();
					await().until(() -> backend.subscribe(name, signals::incrementAndGet) != null);
					LockAttempt attempt = new LockAttempt(name, "owner", LockMode.values()[i % 2],
							Duration.ofSeconds(5), name);
					((Acquisition.Granted) backend.tryAcquire(attempt)).lease().release();
					await().until(() -> signals.get() == 1);
				}
			});
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void clusterTakesSeveralLocksOfWhicheverSlots(String client) {
		try (RedisCluster cluster = RedisCluster.start()) {
			String nodes = String.join(",", cluster.nodes().stream().map(RedisServer::toString).toList());
			with(client, List.of("spring.data.redis.cluster.nodes=" + nodes), (template) -> {
				for (LockMode mode : LockMode.values()) {
					List<LockRequest> requests = STRANGE_KEYS.stream()
						.map((key) -> LockRequest.of(key).withMode(mode))
						.toList();
					for (int i = 0; i < 2; i++) {
						template.executeAll(requests, (lease) -> {
							assertThat(CurrentLock.leases()).hasSize(STRANGE_KEYS.size())
								.allSatisfy((held) -> assertThat(cluster.command("EXISTS", held.name())).isEqualTo(1L));
							return null;
						});
					}
					LockLease elsewhere = template.acquire(LockRequest.of("order:1").withMode(mode));
					CompletableFuture<?> other = CompletableFuture
						.runAsync(() -> template.executeAll(requests, (lease) -> null));
					assertThat(other).failsWithin(Duration.ofSeconds(10));
					elsewhere.close();
					await().until(() -> Long.valueOf(0).equals(cluster.command("EXISTS", "app:{a}")));
				}
				return null;
			});
		}
	}

	private static Object slot(RedisCluster cluster, String key) {
		return cluster.nodes().get(0).command("CLUSTER", "KEYSLOT", key);
	}

	@Test
	void sentinelServesAfterAFailoverWithLargerTokens() {
		try (RedisSentinel sentinel = RedisSentinel.start()) {
			with("lettuce", List.of("spring.data.redis.sentinel.master=" + RedisSentinel.MASTER_NAME,
					"spring.data.redis.sentinel.nodes=" + sentinel.sentinel()), (template) -> {
						LockRequest request = LockRequest.of("k")
							.withMode(LockMode.CORRECTNESS)
							.withWaitTime(Duration.ofSeconds(30));
						long before = template.execute(request, (lease) -> lease.fencingToken().value());
						sentinel.failover();
						long after = template.execute(request, (lease) -> lease.fencingToken().value());
						assertThat(after).isGreaterThan(before);
						return null;
					});
		}
	}

	@Test
	void everyLockCommandGoesToTheMasterEvenIfTheApplicationReadsFromReplicas() {
		try (RedisServer master = RedisServer.start();
				RedisServer replica = RedisServer.start("replicaof 127.0.0.1 " + master.port())) {
			await().until(() -> replica.info("master_link_status").equals("up"));
			with("lettuce", List.of("spring.data.redis.masterreplica.nodes=" + master + "," + replica,
					"spring.data.redis.lettuce.read-from=replica"), (template) -> {
						for (LockMode mode : LockMode.values()) {
							template.execute(LockRequest.of("k").withMode(mode),
									(lease) -> assertThat(master.command("EXISTS", lease.name())).isEqualTo(1L));
						}
						return null;
					});
			assertThat(replica.info("cmdstat_evalsha") + replica.info("cmdstat_eval")).isEmpty();
		}
	}

	private static void with(String client, List<String> properties, Function<LockTemplate, Object> test) {
		withBackend(client, properties, (backend) -> {
			try (LockTemplate template = new LockTemplate(backend, new LockSettings("app"))) {
				test.apply(template);
			}
		});
	}

	private static void withBackend(String client, List<String> properties, Consumer<RedisLockBackend> test) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.client-type=" + client)
			.withPropertyValues(properties.toArray(String[]::new))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				RedisConnectionFactory connections = context.getBean(RedisConnectionFactory.class);
				try (RedisLockBackend backend = new RedisLockBackend(connections, Duration.ofDays(7), "Redis")) {
					test.accept(backend);
				}
			});
	}

}
