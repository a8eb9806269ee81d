package org.lockspring.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Work that comes while the thread is about to leave. */
class OnDemandThreadTests {

	private volatile OnDemandThread thread;

	@Test
	void inheritsNothingFromWhoStartsIt() throws Exception {
		InheritableThreadLocal<String> tenant = new InheritableThreadLocal<>();
		tenant.set("of the caller");
		CompletableFuture<String> inherited = new CompletableFuture<>();
		this.thread = new OnDemandThread("work", () -> inherited.complete(tenant.get()), () -> true);
		this.thread.require().join();
		assertThat(inherited.get(10, TimeUnit.SECONDS)).isNull();
	}

	@Test
	void staysIfWorkCameBeforeItLooked() throws Exception {
		CompletableFuture<Boolean> left = new CompletableFuture<>();
		CompletableFuture<Thread> after = new CompletableFuture<>();
		this.thread = new OnDemandThread("work", () -> {
			left.complete(this.thread.leave());
			after.complete(this.thread.require());
		}, () -> false);
		Thread first = this.thread.require();
		assertThat(left.get(10, TimeUnit.SECONDS)).isFalse();
		assertThat(after.get(10, TimeUnit.SECONDS)).isSameAs(first);
		first.join();
	}

	@Test
	void anotherStartsIfWorkCameAfterItLooked() throws Exception {
		CompletableFuture<Thread> required = new CompletableFuture<>();
		this.thread = new OnDemandThread("work", () -> {
			if (!required.isDone()) {
				this.thread.leave();
			}
		}, () -> {
			required.complete(this.thread.require());
			return true;
		});
		Thread first = this.thread.require();
		assertThat(required.get(10, TimeUnit.SECONDS)).isNotSameAs(first);
		first.join();
		required.join().join();
	}

}
