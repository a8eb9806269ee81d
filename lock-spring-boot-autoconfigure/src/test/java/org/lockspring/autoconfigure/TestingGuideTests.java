package org.lockspring.autoconfigure;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.lockspring.CurrentLock;
import org.lockspring.LockLease;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockRequest;
import org.lockspring.annotation.DistributedLock;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.core.ManagedLease;
import org.lockspring.memory.MemoryLockBackend;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The code of docs/testing.md, where no Redis runs. */
@SpringBootTest(classes = TestingGuideTests.Application.class, properties = { "spring.data.redis.port=1",
		"lock.efficiency.backend=memory", "lock.correctness.backend=memory" })
class TestingGuideTests {

	@Autowired
	private MemoryLockBackend locks;

	@Autowired
	private LockTemplate lockTemplate;

	@Autowired
	private Orders orders;

	@AfterEach
	void forgetLocks() {
		this.locks.reset();
	}

	@Test
	void assertionOfALockPassesUnderATemplateWithoutSpringAndFailsWithout() {
		Orders orders = new Orders();
		LockTemplate locks = new LockTemplate(new MemoryLockBackend(), new LockSettings("test"));
		assertThat(locks.<Boolean, RuntimeException>execute("order:7", (lease) -> orders.ship(7))).isTrue();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> orders.ship(7))
			.withMessageContaining("'order:7'");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> locks.execute("order:8", (lease) -> orders.ship(7)))
			.withMessageContaining("'order:7'");
	}

	/** The second time in the cached context. */
	@RepeatedTest(2)
	void resetForgetsALockThatOutlivesItsTest() {
		this.orders.close();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.close());
	}

	@Test
	void anotherThreadIsInTheWay() {
		LockLease elsewhere = CompletableFuture.supplyAsync(() -> this.lockTemplate.acquire("order:7")).join();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.ship(7));
		elsewhere.close();
		assertThat(this.orders.ship(7)).isTrue();
	}

	@Test
	void leaseIsLostOnDemand() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(
				() -> this.lockTemplate.execute(LockRequest.of("order:7").withMode(LockMode.CORRECTNESS), (lease) -> {
					((ManagedLease) lease).lose(new IllegalStateException("lost by the test"));
					assertThat(lease.isValid()).isFalse();
					return null;
				}))
			.withMessageContaining("lost by the test");
		assertThat(this.orders.ship(7)).isTrue();
	}

	@Test
	void resetTakesTheEntryAway() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(
				() -> this.lockTemplate.execute(LockRequest.of("order:7").withMode(LockMode.CORRECTNESS), (lease) -> {
					this.locks.reset();
					return null;
				}));
	}

	@Test
	void tokensOfSeveralKeysAreKnownByKey() {
		LockRequest request = LockRequest.of("a").withMode(LockMode.CORRECTNESS);
		this.lockTemplate.execute(request, (a) -> this.lockTemplate.execute("b", (b) -> {
			assertThat(CurrentLock.fencingToken("a")).isEqualTo(a.fencingToken());
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> CurrentLock.fencingToken("b"))
				.withMessageContaining("CORRECTNESS");
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> CurrentLock.fencingToken("c"))
				.withMessageContaining("'c'");
			return null;
		}));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
			LockAnnotationAutoConfiguration.class })
	@Import(Orders.class)
	static class Application {

	}

	static class Orders {

		@DistributedLock("order:#{#id}")
		public boolean ship(long id) {
			return CurrentLock.lease("order:" + id).isValid();
		}

		@DistributedLock(key = "closing", ttl = "1h", minHold = "1h")
		public void close() {
		}

	}

}
