package org.lockspring;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.lockspring.fencing.FencingToken;

/**
 * The leases that the current call chain holds. Bound to the thread: another thread has
 * them only after {@link #with} or {@link #attach}. The coroutine of a locked Kotlin
 * function has them on every thread that runs it.
 * <p>
 * {@link #lease(String)} in a method body also asserts that the lock really is there:
 * without it, for example after a call that passed the proxy by, it throws.
 *
 * @since 0.1.0
 */
public final class CurrentLock {

	private static final ThreadLocal<@Nullable Held> current = new ThreadLocal<>();

	private CurrentLock() {
	}

	/**
	 * Return the lease that was taken last.
	 * @return the innermost lease
	 * @throws IllegalStateException if this call chain holds none
	 */
	public static LockLease lease() {
		Held held = current.get();
		if (held == null || held.bindings.isEmpty()) {
			throw new IllegalStateException("No lock is held here. Was the @DistributedLock method called through its "
					+ "Spring bean, and not on 'this'?");
		}
		return held.bindings.get(0).lease;
	}

	/**
	 * Return the lease of one key.
	 * @param key the key, as it was requested
	 * @return the innermost lease of that key
	 * @throws IllegalStateException if this call chain does not hold that key
	 */
	public static LockLease lease(String key) {
		LockLease lease = find(key);
		if (lease == null) {
			throw new IllegalStateException("The lock '" + key + "' is not held here. Was the @DistributedLock method "
					+ "called through its Spring bean, and not on 'this'?");
		}
		return lease;
	}

	/**
	 * Return the token of the lease that was taken last.
	 * @return the token
	 * @throws IllegalStateException if no lock is held here, or its mode has no tokens
	 */
	public static FencingToken fencingToken() {
		return token(lease());
	}

	/**
	 * Return the token of the lease of one key, where several are held.
	 * @param key the key, as it was requested
	 * @return the token
	 * @throws IllegalStateException if this call chain does not hold that key, or its
	 * mode has no tokens
	 */
	public static FencingToken fencingToken(String key) {
		return token(lease(key));
	}

	private static FencingToken token(LockLease lease) {
		FencingToken token = lease.fencingToken();
		if (token == null) {
			throw new IllegalStateException(
					"The lock '" + lease.key() + "' has no fencing token. Acquire it with mode = CORRECTNESS");
		}
		return token;
	}

	/**
	 * Return whether this call chain holds the key with a lease that is valid.
	 * @param key the key, as it was requested
	 * @return whether the key was held a moment ago
	 */
	public static boolean isHeld(String key) {
		LockLease lease = find(key);
		return lease != null && lease.isValid();
	}

	/**
	 * Return every lease that this call chain holds, also those that were lost in the
	 * meantime.
	 * @return the leases, the one taken last first
	 */
	public static List<LockLease> leases() {
		Held held = current.get();
		return (held != null) ? held.bindings.stream().map((binding) -> binding.lease).toList() : List.of();
	}

	/**
	 * Run a body with a lease that was acquired elsewhere, for example on another thread.
	 * Does not close it. In a test, a lease of the test's own lets code pass that asserts
	 * its lock.
	 * @param lease the lease
	 * @param body what to run
	 * @param <T> the result
	 * @param <E> what the body throws
	 * @return the body's result
	 * @throws E if the body throws it
	 */
	public static <T extends @Nullable Object, E extends Throwable> T with(LockLease lease, Body<T, E> body) throws E {
		try (Scope scope = attach(lease)) {
			return body.run();
		}
	}

	/**
	 * Bind a lease to this thread until the scope is closed, from whichever thread.
	 * @param lease the lease
	 * @return the scope to close
	 */
	public static Scope attach(LockLease lease) {
		Held held = current.get();
		if (held == null) {
			held = new Held();
			current.set(held);
		}
		return held.push(lease);
	}

	private static @Nullable LockLease find(String key) {
		Held held = current.get();
		if (held != null) {
			for (Binding binding : held.bindings) {
				if (binding.lease.key().equals(key)) {
					return binding.lease;
				}
			}
		}
		return null;
	}

	/**
	 * What {@link CurrentLock#with} runs.
	 *
	 * @param <T> the result
	 * @param <E> what the body throws
	 */
	@FunctionalInterface
	public interface Body<T extends @Nullable Object, E extends Throwable> {

		/**
		 * Run.
		 * @return the result
		 * @throws E as the caller likes
		 */
		T run() throws E;

	}

	/**
	 * The time during which a lease is bound to a thread.
	 */
	public interface Scope extends AutoCloseable {

		/**
		 * Unbind the lease. Does nothing the second time.
		 */
		@Override
		void close();

	}

	/**
	 * One thread's bindings, innermost first. Guarded: a manual lease may be closed by
	 * another thread.
	 */
	private static final class Held {

		private volatile List<Binding> bindings = List.of();

		synchronized Scope push(LockLease lease) {
			Binding binding = new Binding(this, lease);
			List<Binding> after = new ArrayList<>(this.bindings.size() + 1);
			after.add(binding);
			after.addAll(this.bindings);
			this.bindings = after;
			return binding;
		}

		synchronized void remove(Binding binding) {
			List<Binding> after = new ArrayList<>(this.bindings);
			after.remove(binding);
			this.bindings = after;
			if (after.isEmpty() && current.get() == this) {
				current.remove();
			}
		}

	}

	private static final class Binding implements Scope {

		private final Held held;

		private final LockLease lease;

		Binding(Held held, LockLease lease) {
			this.held = held;
			this.lease = lease;
		}

		@Override
		public void close() {
			this.held.remove(this);
		}

	}

}
