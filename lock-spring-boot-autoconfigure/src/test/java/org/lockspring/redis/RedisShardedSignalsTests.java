package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.Acquisition;
import org.lockspring.LockAttempt;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.ReleaseSignals.Subscription;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.RedisCluster;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** In a Cluster a release is told on the node of the lock only. */
@UsesServer("redis")
@ExtendWith(OutputCaptureExtension.class)
class RedisShardedSignalsTests {

	private static final Duration LINGER = Duration.ofSeconds(10);

	private final List<RedisDriver.Process> processes = new ArrayList<>();

	private RedisCluster cluster;

	@AfterEach
	void close() {
		this.processes.forEach(RedisDriver.Process::close);
		this.cluster.close();
	}

	@ParameterizedTest
	@EnumSource
	void waiterOfAnotherProcessIsWokenAndOtherNodesHearNothing(LockMode mode) {
		this.cluster = RedisCluster.start();
		LockRequest request = LockRequest.of("k").withMode(mode).withWaitTime(Duration.ofMinutes(1));
		RedisServer node = this.cluster.nodeOf("app:{k}");
		try (LockTemplate here = new LockTemplate(process(null, LINGER).backend(), new LockSettings("app"));
				LockTemplate there = new LockTemplate(process(null, LINGER).backend(), new LockSettings("app"))) {
			for (int i = 0; i < 5; i++) {
				LockLease held = here.acquire(request);
				CompletableFuture<Void> waiting = CompletableFuture
					.runAsync(() -> there.execute(request, (lease) -> null), (task) -> new Thread(task).start());
				await().until(() -> shardChannels(node).equals(List.of("app:{k}:free")));
				held.close();
				waiting.join();
			}
		}
		for (RedisServer each : this.cluster.nodes()) {
			assertThat(each.info("cmdstat_publish")).isEmpty();
			assertThat(each.info("cmdstat_subscribe")).isEmpty();
			assertThat(each.info("cmdstat_spublish").isEmpty()).isEqualTo(each != node);
			assertThat(each.info("cmdstat_ssubscribe").isEmpty()).isEqualTo(each != node);
		}
	}

	@Test
	void everyReleaseIsToldToItsWaitersOnly() {
		this.cluster = RedisCluster.start();
		process(null, LINGER);
		process(null, LINGER);
		List<AtomicInteger> signals = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			signals.add(new AtomicInteger());
			listen(1, name(i), signals.get(i)::incrementAndGet);
		}
		for (int i = 0; i < 30; i++) {
			AtomicInteger own = signals.get(i);
			release(0, name(i));
			await().until(() -> own.get() == 1);
		}
		assertThat(signals).allMatch((count) -> count.get() == 1);
	}

	@Test
	void connectionsCloseWhenNobodyHasWaitedForAWhile() {
		this.cluster = RedisCluster.start();
		process(null, Duration.ofMillis(200));
		AtomicInteger signals = new AtomicInteger();
		List<Subscription> subscriptions = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			subscriptions.add(listen(0, name(i), signals::incrementAndGet));
		}
		subscriptions.subList(1, 10).forEach(Subscription::close);
		await().until(() -> allShardChannels().equals(List.of(name(0) + ":free")));
		release(0, name(0));
		await().until(() -> signals.get() == 1);
		subscriptions.get(0).close();
		await().until(() -> clients() == 0);
	}

	@Test
	void killedConnectionIsRestoredAndWhoWaitedMeanwhileIsToldToAsk() {
		this.cluster = RedisCluster.start();
		process(null, LINGER);
		List<AtomicInteger> signals = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			signals.add(new AtomicInteger());
			listen(0, name(i), signals.get(i)::incrementAndGet);
		}
		for (RedisServer node : this.cluster.nodes()) {
			List<Integer> before = signals.stream().map(AtomicInteger::get).toList();
			assertThat((long) node.command("CLIENT", "KILL", "TYPE", "pubsub")).isPositive();
			for (int i = 0; i < 12; i++) {
				AtomicInteger own = signals.get(i);
				int known = before.get(i);
				await().until(() -> own.get() > known);
			}
			assertThat(allShardChannels()).hasSize(12);
			for (int i = 0; i < 12; i++) {
				AtomicInteger own = signals.get(i);
				int known = own.get();
				release(0, name(i));
				await().until(() -> own.get() > known);
			}
		}
	}

	@Test
	void waiterFollowsASlotThatMoves() {
		this.cluster = RedisCluster.start();
		process(null, LINGER);
		process(null, LINGER);
		AtomicInteger signals = new AtomicInteger();
		listen(1, "app:{k}", signals::incrementAndGet);
		RedisServer from = this.cluster.nodeOf("app:{k}");
		RedisServer to = this.cluster.nodes().stream().filter((node) -> node != from).findFirst().orElseThrow();
		String slot = String.valueOf(from.command("CLUSTER", "KEYSLOT", "app:{k}"));
		String id = String.valueOf(to.command("CLUSTER", "MYID"));
		to.command("CLUSTER", "SETSLOT", slot, "NODE", id);
		this.cluster.nodes().forEach((node) -> node.command("CLUSTER", "SETSLOT", slot, "NODE", id));
		await().until(() -> signals.get() == 1);
		assertThat(shardChannels(to)).hasToString("[app:{k}:free]");
		release(0, "app:{k}");
		await().until(() -> signals.get() == 2);
	}

	@Test
	void userWithoutTheCommandsReleasesAndIsWarnedOnce(CapturedOutput output) {
		this.cluster = RedisCluster.start();
		this.cluster.nodes()
			.forEach((node) -> node.command("ACL", "SETUSER", "app", "on", ">secret", "~app:*", "&*", "+@all",
					"-spublish", "-ssubscribe"));
		process("app", LINGER);
		for (int i = 0; i < 3; i++) {
			release(0, "app:{k}");
			assertThat(this.cluster.command("EXISTS", "app:{k}")).isEqualTo(0L);
			assertThat(subscribe(0, "app:{k}", () -> {
			})).isNull();
		}
		await().until(() -> clients() == 0);
		assertThat(output.getAll().lines().filter((line) -> line.contains(" WARN ") || line.contains(" ERROR ")))
			.singleElement()
			.asString()
			.contains("refused SPUBLISH", "app:{k}:free", "lock.namespace");
	}

	@Test
	void serverWithoutShardChannelsIsServedAsASingleOne() {
		this.cluster = RedisCluster.start("rename-command SSUBSCRIBE \"\"");
		process(null, LINGER);
		AtomicInteger signals = new AtomicInteger();
		listen(0, "app:{k}", signals::incrementAndGet);
		release(0, "app:{k}");
		await().until(() -> signals.get() == 1);
		assertThat(this.cluster.nodeOf("app:{k}").info("cmdstat_publish")).isNotEmpty();
		assertThat(this.cluster.nodeOf("app:{k}").info("cmdstat_spublish")).isEmpty();
	}

	private RedisDriver.Process process(@Nullable String user, Duration linger) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration(
				this.cluster.nodes().stream().map(RedisServer::toString).toList());
		if (user != null) {
			configuration.setUsername(user);
			configuration.setPassword("secret");
		}
		LettuceConnectionFactory connections = new LettuceConnectionFactory(configuration,
				LettuceClientConfiguration.builder()
					.commandTimeout(Duration.ofSeconds(5))
					.shutdownTimeout(Duration.ZERO)
					.build());
		connections.afterPropertiesSet();
		connections.start();
		RedisDriver.Process process = new RedisDriver.Process(connections,
				new RedisLockBackend(connections, Duration.ofDays(7), "cluster", linger));
		this.processes.add(process);
		return process;
	}

	private static String name(int i) {
		return "app:{k" + i + "}";
	}

	/** On a busy machine the first connection may take longer than a waiter waits. */
	private Subscription listen(int process, String name, Runnable listener) {
		return Objects.requireNonNull(await().until(() -> subscribe(process, name, listener), Objects::nonNull));
	}

	private @Nullable Subscription subscribe(int process, String name, Runnable listener) {
		return this.processes.get(process).backend().subscribe(name, listener);
	}

	private void release(int process, String name) {
		LockAttempt attempt = new LockAttempt(name, UUID.randomUUID().toString(), LockMode.CORRECTNESS,
				Duration.ofSeconds(5), name);
		((Acquisition.Granted) this.processes.get(process).backend().tryAcquire(attempt)).lease()
			.release()
			.toCompletableFuture()
			.join();
	}

	private List<?> allShardChannels() {
		return this.cluster.nodes().stream().flatMap((node) -> shardChannels(node).stream()).toList();
	}

	private static List<?> shardChannels(RedisServer node) {
		return (List<?>) Objects.requireNonNull(node.command("PUBSUB", "SHARDCHANNELS"));
	}

	private long clients() {
		return this.cluster.nodes()
			.stream()
			.mapToLong((node) -> String.valueOf(node.command("CLIENT", "LIST", "TYPE", "pubsub")).lines().count())
			.sum();
	}

}
