package org.lockspring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

class NoUniqueLockBackendFailureAnalyzer extends AbstractFailureAnalyzer<NoUniqueLockBackendException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, NoUniqueLockBackendException cause) {
		String action = "Set '%s' to one of: %s. Or mark one LockBackend bean as @Primary."
			.formatted(cause.getProperty(), String.join(", ", cause.getNames()));
		return new FailureAnalysis(cause.getMessage() + ".", action, cause);
	}

}
