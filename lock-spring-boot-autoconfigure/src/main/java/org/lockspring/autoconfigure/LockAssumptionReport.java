package org.lockspring.autoconfigure;

import java.util.LinkedHashSet;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.lockspring.Assumption;
import org.lockspring.Assumption.Finding;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.lockspring.annotation.LockDefinitionValidator;
import org.lockspring.core.LockBackends;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Warns once, after the start, of assumptions that do not hold. In the background, since
 * a store that is down answers late.
 */
class LockAssumptionReport implements ApplicationListener<ApplicationReadyEvent> {

	private static final Log logger = LogFactory.getLog(LockAssumptionReport.class);

	private final LockDefinitionValidator definitions;

	private final ObjectProvider<LockBackends> backends;

	LockAssumptionReport(LockDefinitionValidator definitions, ObjectProvider<LockBackends> backends) {
		this.definitions = definitions;
		this.backends = backends;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		Thread thread = new Thread(this::report, "lock-assumptions");
		thread.setDaemon(true);
		thread.start();
	}

	private void report() {
		Set<String> violated = new LinkedHashSet<>();
		LockBackends available = this.backends.getIfAvailable();
		if (available == null) {
			return;
		}
		for (LockMode mode : LockMode.values()) {
			if (!this.definitions.methods(mode).isEmpty()) {
				LockBackend backend = available.require(mode);
				for (Assumption assumption : backend.assumptions(mode)) {
					if (assumption.finding() == Finding.VIOLATED) {
						violated.add("Locks on '%s' assume: %s. This does not hold: %s".formatted(backend.name(),
								assumption.statement(), assumption.detail()));
					}
					else {
						logger.debug("%s on '%s' assumes: %s (%s %s)".formatted(mode, backend.name(),
								assumption.statement(), assumption.finding(), assumption.detail()));
					}
				}
			}
		}
		violated.forEach(logger::warn);
	}

}
