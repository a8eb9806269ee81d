package org.lockspring.annotation;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * The end of a future as a stage. One that tells nobody when it is done needs a thread
 * that waits for it.
 */
final class FutureStage {

	private static final SimpleAsyncTaskExecutor waiting = new SimpleAsyncTaskExecutor("lock-future-");

	static {
		waiting.setDaemon(true);
	}

	private FutureStage() {
	}

	@SuppressWarnings("unchecked")
	static CompletionStage<@Nullable Object> of(Object result) {
		return (result instanceof CompletionStage<?> stage) ? (CompletionStage<@Nullable Object>) stage
				: ofFuture((Future<@Nullable Object>) result);
	}

	private static CompletionStage<@Nullable Object> ofFuture(Future<@Nullable Object> future) {
		CompletableFuture<@Nullable Object> stage = new CompletableFuture<>();
		CompletionStage<@Nullable Object> returned = stage;
		returned.whenComplete((value, failure) -> {
			if (stage.isCancelled()) {
				future.cancel(true);
			}
		});
		if (future.isDone()) {
			complete(stage, future);
		}
		else {
			waiting.execute(() -> complete(stage, future));
		}
		return returned;
	}

	private static void complete(CompletableFuture<@Nullable Object> stage, Future<@Nullable Object> future) {
		try {
			stage.complete(future.get());
		}
		catch (ExecutionException ex) {
			stage.completeExceptionally((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (CancellationException | InterruptedException ex) {
			stage.completeExceptionally(ex);
		}
	}

}
