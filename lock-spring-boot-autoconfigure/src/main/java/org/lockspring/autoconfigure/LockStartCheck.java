package org.lockspring.autoconfigure;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.RequestCheck;
import org.lockspring.annotation.LockDefinitionValidator;
import org.lockspring.core.LockBackends;
import org.lockspring.core.LockSettings;
import org.lockspring.fencing.FencingGuard;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Checks at start that annotated methods will find what their mode needs. An application
 * that uses a mode only in code learns it at the first use.
 */
class LockStartCheck implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LockStartCheck.class);

	private final LockDefinitionValidator definitions;

	private final ObjectProvider<LockBackends> backends;

	private final ObjectProvider<LockSettings> settings;

	private final ObjectProvider<FencingGuard> guards;

	private final ObjectProvider<FenceTableCheck> fenceTable;

	LockStartCheck(LockDefinitionValidator definitions, ObjectProvider<LockBackends> backends,
			ObjectProvider<LockSettings> settings, ObjectProvider<FencingGuard> guards,
			ObjectProvider<FenceTableCheck> fenceTable) {
		this.definitions = definitions;
		this.backends = backends;
		this.settings = settings;
		this.guards = guards;
		this.fenceTable = fenceTable;
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (LockMode mode : LockMode.values()) {
			List<String> methods = this.definitions.methods(mode);
			if (!methods.isEmpty()) {
				this.backends.ifAvailable((available) -> checkRequests(available.require(mode), mode));
				if (mode == LockMode.CORRECTNESS) {
					requireGuard(methods);
				}
			}
		}
	}

	private void checkRequests(LockBackend backend, LockMode mode) {
		if (backend instanceof RequestCheck check) {
			this.settings.ifAvailable((defaults) -> this.definitions.requests(mode)
				.forEach((request) -> check.check(defaults.complete(request))));
		}
	}

	private void requireGuard(List<String> methods) {
		if (this.guards.stream().findAny().isEmpty()) {
			logger
				.warn("%s lock for CORRECTNESS, but nothing checks their fencing tokens: a holder that stalled can still "
					.formatted(methods)
						+ "write. Declare a FencingGuard bean, or add a DataSource, whose transactions are then fenced");
		}
		this.fenceTable.ifAvailable(FenceTableCheck::requireTable);
	}

}
