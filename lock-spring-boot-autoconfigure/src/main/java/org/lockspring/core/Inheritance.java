package org.lockspring.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.lockspring.Acquisition;
import org.lockspring.BackendLease;

/**
 * An entry that was not released but left to the next holder.
 *
 * @param entry that of the holder before
 * @param from the turn of the holder before
 * @param answer what the store says to the next holder; {@code null} if it was not asked
 */
record Inheritance(BackendLease entry, Turn from, @Nullable CompletableFuture<Acquisition> answer) {

	/**
	 * Give back what nobody wants any longer.
	 * @param late does so when the answer comes, which may wait for the store
	 * @return completes afterwards
	 */
	CompletionStage<?> release(Executor late) {
		CompletableFuture<Acquisition> asked = this.answer;
		if (asked == null) {
			return this.entry.release();
		}
		if (asked.isDone()) {
			return granted(asked).release();
		}
		return asked.handleAsync((acquisition, ex) -> granted(asked).release(), late).thenCompose(Function.identity());
	}

	/** The next holder's entry, or else the one before, which may be there still. */
	private BackendLease granted(CompletableFuture<Acquisition> answered) {
		return (answered.exceptionally((ex) -> null).join() instanceof Acquisition.Granted granted) ? granted.lease()
				: this.entry;
	}

}
