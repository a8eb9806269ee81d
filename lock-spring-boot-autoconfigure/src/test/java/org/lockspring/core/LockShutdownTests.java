package org.lockspring.core;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.memory.MemoryLockBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A release needs its connection until the store has answered. */
class LockShutdownTests {

	private final ControlledBackend backend = new ControlledBackend(new MemoryLockBackend());

	private final LockTemplate template = new LockTemplate(this.backend, new LockSettings("app"));

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	@Timeout(20)
	void releaseThatNobodyWaitsForIsWaitedFor() {
		CompletableFuture<Void> answer = new CompletableFuture<>();
		this.backend.releaseAnswers = answer;
		this.template.execute("k", (lease) -> null);
		assertThat(this.backend.released).hasSize(1);
		assertThat(this.template.isIdle()).isFalse();
		LockShutdown shutdown = new LockShutdown(this.template);
		shutdown.start();
		CompletableFuture<Boolean> answered = new CompletableFuture<>();
		shutdown.stop(() -> answered.complete(answer.isDone()));
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> answered.get(100, TimeUnit.MILLISECONDS));
		answer.complete(null);
		assertThat(answered.join()).isTrue();
		assertThat(this.template.isIdle()).isTrue();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void lossIsToldBeforeTheApplicationCountsAsIdle(LockMode mode) {
		MemoryLockBackend store = new MemoryLockBackend();
		AtomicReference<LockTemplate> template = new AtomicReference<>();
		List<Boolean> idle = new CopyOnWriteArrayList<>();
		template.set(new LockTemplate(new LockBackends(store, store), new LockSettings("app"), List.of(), Runnable::run,
				(event) -> idle.add(template.get().isIdle())));
		LockLease lease = template.get().acquire(LockRequest.of("k").withMode(mode));
		store.reset();
		lease.close();
		assertThat(idle).containsExactly(false);
		assertThat(template.get().isIdle()).isTrue();
		template.get().close();
	}

	@Test
	void lockCountsAsHeldWhileItIsReleased() {
		List<Boolean> holding = new CopyOnWriteArrayList<>();
		this.template.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS), (lease) -> {
			this.backend.onRequest = () -> holding.add(this.template.isHolding());
			return null;
		});
		assertThat(holding).containsExactly(true);
		assertThat(this.template.isHolding()).isFalse();
	}

	@Test
	void aProcessThatIsRestoredTakesLocksUnderOtherIdentities() {
		LockShutdown shutdown = new LockShutdown(this.template);
		shutdown.start();
		String before = owner();
		shutdown.stop();
		shutdown.start();
		assertThat(owner().substring(0, 18)).isNotEqualTo(before.substring(0, 18));
	}

	private String owner() {
		return this.template.execute(LockRequest.of("k").withMode(LockMode.CORRECTNESS),
				(lease) -> lease.fencingToken().owner());
	}

}
