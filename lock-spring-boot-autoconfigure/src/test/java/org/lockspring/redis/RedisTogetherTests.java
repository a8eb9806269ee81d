package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.CurrentLock;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.LockUnavailableException;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Several locks of one call. */
@UsesServer("redis")
class RedisTogetherTests {

	private final RedisServer server = RedisServer.start();

	private final FaultProxy proxy = FaultProxy.to(this.server);

	private final List<AutoCloseable> open = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable each : this.open) {
			each.close();
		}
		this.proxy.close();
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void threeKeysAreOneRequest(RedisDriver driver) {
		LockTemplate template = template(driver);
		for (LockMode mode : LockMode.values()) {
			template.executeAll(requests(mode, Duration.ZERO, "a", "b", "c"), (lease) -> null);
			await().until(() -> exists("a", "b", "c") == 0);
			this.server.command("CONFIG", "RESETSTAT");
			template.executeAll(requests(mode, Duration.ZERO, "c", "b", "a"), (lease) -> {
				assertThat(this.server.info("cmdstat_evalsha")).startsWith("calls=1,").contains("failed_calls=0");
				assertThat(lease.key()).isEqualTo("c");
				assertThat(CurrentLock.leases()).extracting(LockLease::key).containsExactly("c", "b", "a");
				assertThat(CurrentLock.lease("a").isValid()).isTrue();
				assertThat(exists("a", "b", "c")).isEqualTo(3);
				return null;
			});
			await().until(() -> exists("a", "b", "c") == 0);
		}
	}

	@ParameterizedTest
	@EnumSource
	void nothingIsHeldWhileOneIsBusy(LockMode mode) throws Exception {
		LockTemplate here = template(RedisDriver.LETTUCE);
		LockTemplate there = template(RedisDriver.LETTUCE);
		LockLease held = there.acquire(LockRequest.of("b").withMode(mode));
		List<LockRequest> shortest = requests(mode, Duration.ofMillis(300), "a", "b").stream()
			.map((request) -> request.withMinHold(Duration.ofSeconds(20)))
			.toList();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> here.executeAll(shortest, (lease) -> null))
			.withMessageContaining("'b'");
		assertThat(exists("a")).isZero();
		CompletableFuture<Void> waiting = CompletableFuture
			.runAsync(() -> here.executeAll(requests(mode, Duration.ofSeconds(30), "a", "b"), (lease) -> null));
		await().until(() -> !waiting.isDone() && !this.server.info("cmdstat_subscribe").isEmpty());
		for (int i = 0; i < 50; i++) {
			there.execute(LockRequest.of("a").withMode(mode), (lease) -> null);
			assertThat(exists("b")).isEqualTo(1);
		}
		held.close();
		waiting.get();
		await().until(() -> exists("a", "b") == 0);
	}

	@ParameterizedTest
	@EnumSource
	void overlappingSetsNeverOverlapInTime(LockMode mode) {
		AtomicInteger a = new AtomicInteger();
		AtomicInteger b = new AtomicInteger();
		AtomicInteger c = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		List<LockTemplate> templates = Stream.of(RedisDriver.values()).map(this::template).toList();
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			LockTemplate template = templates.get(i % 2);
			List<String> keys = List.of(List.of("a", "b"), List.of("b", "c"), List.of("b"), List.of("c", "a"))
				.get(i / 2);
			callers.add(CompletableFuture.runAsync(() -> {
				for (int round = 0; round < 20; round++) {
					template.executeAll(requests(mode, Duration.ofMinutes(1), keys.toArray(String[]::new)), (lease) -> {
						for (String key : keys) {
							AtomicInteger inside = key.equals("a") ? a : key.equals("b") ? b : c;
							overlaps.addAndGet(inside.getAndIncrement());
						}
						Thread.yield();
						for (String key : keys) {
							(key.equals("a") ? a : key.equals("b") ? b : c).decrementAndGet();
						}
						return null;
					});
				}
			}, (task) -> new Thread(task).start()));
		}
		CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).join();
		assertThat(overlaps).hasValue(0);
		await().until(() -> exists("a", "b", "c") == 0);
	}

	@ParameterizedTest
	@EnumSource
	void lostReplyLeavesNothing(LockMode mode) {
		LockTemplate template = template(RedisDriver.LETTUCE.process(this.proxy.port()));
		template.executeAll(requests(mode, Duration.ZERO, "a", "b", "c"), (lease) -> null);
		await().until(() -> exists("a", "b", "c") == 0);
		// A connection without pipelines, which the proxy may take for one request or for
		// several
		this.proxy.cutAll();
		template.execute(LockRequest.of("d").withMode(LockMode.CORRECTNESS), (lease) -> null);
		this.proxy.onlyRequestsWith(LockScript.ACQUIRE_ALL.sha()).swallowReplies(1);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> template.executeAll(requests(mode, Duration.ZERO, "a", "b", "c"), (lease) -> null));
		assertThat(this.proxy.swallowed()).isEqualTo(1);
		await().until(() -> exists("a", "b", "c") == 0);
	}

	@Test
	void keyOfAnotherTypeLeavesNothing() {
		LockTemplate template = template(RedisDriver.LETTUCE);
		this.server.command("SET", "app:{c}:fence", "text");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> template.executeAll(requests(LockMode.CORRECTNESS, Duration.ZERO, "a", "b", "c"),
					(lease) -> null))
			.withMessageContaining("WRONGTYPE");
		assertThat(exists("a", "b", "c")).isZero();
		assertThat(this.server.command("EXISTS", "app:{a}:fence")).isEqualTo(0L);
	}

	@Test
	void heldKeyIsEnteredAgain() {
		LockTemplate template = template(RedisDriver.LETTUCE);
		template.execute("b",
				(outer) -> template.executeAll(requests(LockMode.EFFICIENCY, Duration.ZERO, "a", "b", "a"), (lease) -> {
					assertThat(CurrentLock.lease("b")).isSameAs(outer);
					return exists("a", "b");
				}));
		await().until(() -> exists("a", "b") == 0);
	}

	private LockTemplate template(RedisDriver driver) {
		return template(driver.process(this.server.port()));
	}

	private LockTemplate template(RedisDriver.Process process) {
		LockTemplate template = new LockTemplate(process.backend(), new LockSettings("app"));
		this.open.add(template);
		this.open.add(process);
		return template;
	}

	private long exists(String... keys) {
		long found = 0;
		for (String key : keys) {
			found += (Long) this.server.command("EXISTS", "app:{" + key + "}");
		}
		return found;
	}

	private static List<LockRequest> requests(LockMode mode, Duration waitTime, String... keys) {
		List<LockRequest> requests = new ArrayList<>();
		for (String key : keys) {
			requests.add(LockRequest.of(key).withMode(mode).withWaitTime(waitTime));
		}
		return requests;
	}

}
