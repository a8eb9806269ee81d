package org.lockspring.core;

import org.jspecify.annotations.Nullable;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;

/**
 * The store of each mode.
 *
 * @param efficiency the store for EFFICIENCY; {@code null} if there is none
 * @param correctness the store for CORRECTNESS; {@code null} if there is none
 * @since 0.1.0
 */
public record LockBackends(@Nullable LockBackend efficiency, @Nullable LockBackend correctness) {

	/**
	 * Create the pair.
	 * @throws InvalidLockDefinitionException if a store cannot serve its mode
	 */
	public LockBackends {
		requireSupport(efficiency, LockMode.EFFICIENCY);
		requireSupport(correctness, LockMode.CORRECTNESS);
	}

	private static void requireSupport(@Nullable LockBackend backend, LockMode mode) {
		if (backend != null && !backend.supports(mode)) {
			throw new InvalidLockDefinitionException(property(mode),
					"the backend '" + backend.name() + "' cannot serve " + mode, "Name another backend");
		}
	}

	/**
	 * Return the store of a mode.
	 * @param mode the mode
	 * @return the store
	 * @throws InvalidLockDefinitionException if there is none
	 */
	public LockBackend require(LockMode mode) {
		LockBackend backend = (mode == LockMode.EFFICIENCY) ? this.efficiency : this.correctness;
		if (backend == null) {
			throw new InvalidLockDefinitionException(property(mode), "there is no lock backend for " + mode,
					"Set it to a backend whose client is on the class path, for example 'redis' with "
							+ "spring-boot-starter-data-redis");
		}
		return backend;
	}

	private static String property(LockMode mode) {
		return (mode == LockMode.EFFICIENCY) ? "lock.efficiency.backend" : "lock.correctness.backend";
	}

}
