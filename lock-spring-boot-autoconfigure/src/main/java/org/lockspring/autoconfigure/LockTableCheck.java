package org.lockspring.autoconfigure;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;
import org.lockspring.annotation.LockDefinitionValidator;
import org.lockspring.core.LockBackends;
import org.lockspring.jdbc.JdbcLockBackend;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Looks for the table of locks if annotated methods need it and the database answers. An
 * application that locks only in code learns it at the first use.
 */
class LockTableCheck implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LockTableCheck.class);

	private final JdbcLockBackend backend;

	private final ObjectProvider<LockBackends> backends;

	private final ObjectProvider<LockDefinitionValidator> definitions;

	LockTableCheck(JdbcLockBackend backend, ObjectProvider<LockBackends> backends,
			ObjectProvider<LockDefinitionValidator> definitions) {
		this.backend = backend;
		this.backends = backends;
		this.definitions = definitions;
	}

	@Override
	public void afterSingletonsInstantiated() {
		LockBackends chosen = this.backends.getIfAvailable();
		LockDefinitionValidator methods = this.definitions.getIfAvailable();
		if (chosen != null && methods != null && (uses(chosen.efficiency(), methods, LockMode.EFFICIENCY)
				|| uses(chosen.correctness(), methods, LockMode.CORRECTNESS))) {
			requireTable();
		}
	}

	private boolean uses(@Nullable LockBackend chosen, LockDefinitionValidator methods, LockMode mode) {
		return chosen == this.backend && !methods.methods(mode).isEmpty();
	}

	private void requireTable() {
		try {
			this.backend.requireTable();
		}
		catch (LockUnavailableException ex) {
			if (!ex.isRetryable()) {
				throw new LockTableMissingException(ex);
			}
			logger.debug("The database of the locks does not answer", ex);
		}
	}

}
