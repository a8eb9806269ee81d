package org.lockspring.faults.workload;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Locks that know one key at a time: several are taken in one order.
 */
public abstract class OneByOneLocking implements Locking {

	/**
	 * Take one lock.
	 * @param key what to lock
	 * @return the lock, held
	 * @throws BusyException if it was not to be had in time
	 * @throws Exception if the store fails
	 */
	protected abstract Taken take(String key) throws Exception;

	@Override
	public void run(List<String> keys, Body body) throws Exception {
		run(keys.stream().sorted().toList(), new HashMap<>(), body);
	}

	private void run(List<String> keys, Map<String, Taken> taken, Body body) throws Exception {
		if (keys.isEmpty()) {
			body.run(new AllTaken(taken));
			return;
		}
		String key = keys.get(0);
		Taken lock = take(key);
		taken.put(key, lock);
		try {
			run(keys.subList(1, keys.size()), taken, body);
		}
		finally {
			lock.release().run();
		}
	}

	@Override
	public void runOnce(String key, Body body) {
		throw new UnsupportedOperationException("There is no shortest hold");
	}

	/**
	 * A lock that is held.
	 *
	 * @param token its token, if it has any
	 * @param valid whether the holder believes to hold it
	 * @param release gives it back
	 */
	public record Taken(@Nullable Long token, BooleanSupplier valid, Release release) {

	}

	/**
	 * Gives a lock back.
	 */
	@FunctionalInterface
	public interface Release {

		/**
		 * Give it back.
		 * @throws Exception if that fails
		 */
		void run() throws Exception;

	}

	private record AllTaken(Map<String, Taken> taken) implements Holding {

		@Override
		public @Nullable Long token(String key) {
			return get(key).token();
		}

		@Override
		public boolean isValid(String key) {
			return get(key).valid().getAsBoolean();
		}

		private Taken get(String key) {
			return Objects.requireNonNull(this.taken.get(key));
		}

	}

}
