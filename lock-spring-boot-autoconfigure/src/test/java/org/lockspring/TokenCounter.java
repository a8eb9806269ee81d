package org.lockspring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.lockspring.core.LockTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** A number that only the lock protects, and the tokens in the order of its updates. */
public final class TokenCounter {

	private final List<Long> tokens = new ArrayList<>();

	private volatile int value;

	/**
	 * Let each process raise the number, each time under the lock.
	 * @param processes a template for each process
	 * @param rounds how often each does it
	 * @param waitTime how long each waits for the lock
	 */
	public void raise(List<LockTemplate> processes, int rounds, Duration waitTime) {
		LockRequest request = LockRequest.of("k")
			.withMode(LockMode.CORRECTNESS)
			.withTtl(Duration.ofSeconds(20))
			.withWaitTime(waitTime);
		List<CompletableFuture<Void>> done = new ArrayList<>();
		for (LockTemplate process : processes) {
			CompletableFuture<Void> end = new CompletableFuture<>();
			done.add(end);
			new Thread(() -> {
				try {
					for (int i = 0; i < rounds; i++) {
						process.execute(request, (lease) -> raise(lease.fencingToken().value()));
					}
					end.complete(null);
				}
				catch (Throwable ex) {
					end.completeExceptionally(ex);
				}
			}).start();
		}
		CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).join();
	}

	private int raise(long token) {
		int read = this.value;
		Thread.yield();
		this.value = read + 1;
		this.tokens.add(token);
		return read;
	}

	public int value() {
		return this.value;
	}

	/**
	 * Fail unless no update was lost and the tokens rose with every one.
	 * @param expected the number of updates
	 */
	public void verify(int expected) {
		assertThat(this.value).isEqualTo(expected);
		assertThat(this.tokens).hasSize(expected).doesNotHaveDuplicates().isSorted();
	}

}
