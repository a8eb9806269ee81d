package org.lockspring.testing;

import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

@UsesServer("redis")
class RedisTopologyTests {

	@Test
	void clusterNodesOwnTheirSlotsAndRedirectTheOthers() {
		try (RedisCluster cluster = RedisCluster.start()) {
			assertThat(IntStream.range(0, 300).mapToObj((i) -> cluster.nodeOf("key" + i)).distinct()).hasSize(3);
			for (int i = 0; i < 300; i++) {
				assertThat(cluster.command("SET", "key" + i, "value")).isEqualTo("OK");
			}
			RedisServer owner = cluster.nodeOf("key1");
			RedisServer other = cluster.nodes().stream().filter((node) -> node != owner).findFirst().orElseThrow();
			assertThatIllegalStateException().isThrownBy(() -> other.command("GET", "key1"))
				.withMessageStartingWith("MOVED")
				.withMessageEndingWith(String.valueOf(owner.port()));
			cluster.flush();
			assertThat(cluster.command("EXISTS", "key1")).isEqualTo(0L);
		}
	}

	@Test
	void failoverSwapsMasterAndReplicaTwice() {
		try (RedisSentinel sentinel = RedisSentinel.start()) {
			RedisServer first = sentinel.master();
			RedisServer second = sentinel.replica();
			assertThat(second).isNotSameAs(first);
			first.command("SET", "key", "value");
			await().untilAsserted(() -> assertThat(second.command("GET", "key")).isEqualTo("value"));
			sentinel.failover();
			assertThat(sentinel.master()).isSameAs(second);
			assertThat(first.info("role")).isEqualTo("slave");
			assertThat(second.command("SET", "key", "written to the new master")).isEqualTo("OK");
			sentinel.failover();
			assertThat(sentinel.master()).isSameAs(first);
		}
	}

	@Test
	void replicaBecomesMasterWhenTheMasterIsKilled() {
		try (RedisSentinel sentinel = RedisSentinel.start()) {
			RedisServer second = sentinel.replica();
			sentinel.master().kill();
			sentinel.awaitMaster(second);
			await().atMost(Duration.ofSeconds(5))
				.untilAsserted(() -> assertThat(second.command("SET", "key", "value")).isEqualTo("OK"));
		}
	}

}
