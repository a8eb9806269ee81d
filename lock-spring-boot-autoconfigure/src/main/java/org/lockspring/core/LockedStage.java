package org.lockspring.core;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Holds a lease until a stage is complete.
 */
final class LockedStage {

	private final LockTemplate template;

	private final HeldLease lease;

	LockedStage(LockTemplate template, HeldLease lease) {
		this.template = template;
		this.lease = lease;
	}

	<T extends @Nullable Object, E extends Throwable> CompletableFuture<T> run(
			LockCallback<? extends CompletionStage<T>, E> callback) throws E {
		CompletionStage<T> stage;
		CompletableFuture<T> source;
		try {
			stage = Objects.requireNonNull(this.template.bodies().call(this.lease, callback),
					"The body returned no stage");
			source = stage.toCompletableFuture();
		}
		catch (Throwable ex) {
			this.template.bodies().leaveAfter(this.lease, ex);
			throw ex;
		}
		CompletableFuture<T> result = new CompletableFuture<>();
		if (source.isDone()) {
			stage.whenComplete((value, failure) -> complete(result, value, failure));
		}
		else {
			// Whoever completes it may be an event loop
			stage.whenCompleteAsync((value, failure) -> complete(result, value, failure), this.template.waiting());
			passOnCancellation(result, source);
		}
		return result;
	}

	private static <T extends @Nullable Object> void passOnCancellation(CompletableFuture<T> result,
			CompletableFuture<T> source) {
		CompletionStage<T> returned = result;
		returned.whenComplete((value, failure) -> {
			if (result.isCancelled()) {
				source.cancel(true);
			}
		});
	}

	private <T extends @Nullable Object> void complete(CompletableFuture<T> result, T value,
			@Nullable Throwable failure) {
		try {
			if (failure != null) {
				this.template.bodies().leaveAfter(this.lease, cause(failure));
				result.completeExceptionally(failure);
			}
			else {
				this.template.bodies().leaveOrThrow(this.lease);
				result.complete(value);
			}
		}
		catch (RuntimeException | Error ex) {
			result.completeExceptionally((failure != null) ? failure : ex);
		}
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
