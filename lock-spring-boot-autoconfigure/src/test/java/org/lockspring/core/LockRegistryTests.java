package org.lockspring.core;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.Test;
import org.lockspring.CurrentLock;
import org.lockspring.LockKeyException;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.memory.MemoryLockBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class LockRegistryTests {

	private final MemoryLockBackend store = new MemoryLockBackend();

	private final LockTemplate template = new LockTemplate(this.store, new LockSettings("app"));

	private final LockRegistry registry = new LockRegistry(this.template, LockMode.EFFICIENCY);

	@Test
	void locksOfEqualKeysAreTheSameLock() {
		this.registry.obtain("k").lock();
		assertThat(CurrentLock.isHeld("k")).isTrue();
		assertThat(elsewhere(() -> this.registry.obtain("k").tryLock())).isFalse();
		this.registry.obtain("k").unlock();
		assertThat(elsewhere(() -> this.registry.obtain("k").tryLock())).isTrue();
	}

	@Test
	void unlockTellsOfALossThatOnlyTheStoreKnows() {
		Lock lock = new LockRegistry(this.template, LockMode.CORRECTNESS).obtain("k");
		lock.lock();
		this.store.reset();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(CurrentLock.leases()).isEmpty();
	}

	@Test
	void isReentrant() {
		Lock lock = this.registry.obtain("k");
		lock.lock();
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
		assertThat(elsewhere(lock::tryLock)).isFalse();
		lock.unlock();
		assertThat(elsewhere(lock::tryLock)).isTrue();
	}

	@Test
	void unlockByAnotherThreadOrWithoutLockIsRefused() {
		Lock lock = this.registry.obtain("k");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock)
			.withMessageContaining("'k'");
		lock.lock();
		assertThat(elsewhere(() -> {
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
			return true;
		})).isTrue();
		assertThat(CurrentLock.isHeld("k")).isTrue();
		lock.unlock();
	}

	@Test
	void unlockDoesNotEndALeaseThatTheRegistryDidNotTake() {
		this.template.execute("k", (lease) -> {
			Lock lock = this.registry.obtain("k");
			lock.lock();
			lock.unlock();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
			assertThat(lease.isValid()).isTrue();
			return null;
		});
	}

	@Test
	void tryLockWithTimeGivesUp() throws InterruptedException {
		Lock lock = this.registry.obtain("k");
		assertThat(elsewhere(lock::tryLock)).isTrue();
		assertThat(lock.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isFalse();
	}

	@Test
	void lockInterruptiblyIsInterrupted() throws InterruptedException {
		Lock lock = this.registry.obtain("k");
		lock.lock();
		AtomicBoolean interrupted = new AtomicBoolean();
		Thread waiter = new Thread(() -> {
			try {
				lock.lockInterruptibly();
			}
			catch (InterruptedException ex) {
				interrupted.set(true);
			}
		});
		waiter.start();
		await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
		waiter.interrupt();
		waiter.join();
		assertThat(interrupted).isTrue();
		lock.unlock();
	}

	@Test
	void lockSurvivesAnInterruptAndRestoresTheFlag() throws InterruptedException {
		Lock lock = this.registry.obtain("k");
		lock.lock();
		AtomicBoolean flag = new AtomicBoolean();
		Thread waiter = new Thread(() -> {
			lock.lock();
			flag.set(Thread.currentThread().isInterrupted());
			lock.unlock();
		});
		waiter.start();
		await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
		waiter.interrupt();
		lock.unlock();
		waiter.join();
		assertThat(flag).isTrue();
	}

	@Test
	void unlockTellsThatALockOfCorrectnessWasLost() {
		Lock lock = new LockRegistry(this.template, LockMode.CORRECTNESS).obtain("k");
		lock.lock();
		((ManagedLease) CurrentLock.lease("k")).lose(new IllegalStateException("a guard said so"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock).withMessageContaining("'k'");
	}

	@Test
	void blankKeyIsRefused() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.registry.obtain(" "));
	}

	private static boolean elsewhere(Callable<Boolean> action) {
		return CompletableFuture.supplyAsync(() -> {
			try {
				return action.call();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}).join();
	}

}
