package org.lockspring.autoconfigure;

import java.util.Arrays;
import java.util.stream.Collectors;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

class LockBackendNotAvailableFailureAnalyzer extends AbstractFailureAnalyzer<LockBackendNotAvailableException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockBackendNotAvailableException cause) {
		String dependency = cause.getType().dependency();
		int colon = dependency.indexOf(':');
		String allowed = Arrays.stream(LockBackendType.values())
			.map(LockBackendType::backendName)
			.collect(Collectors.joining(", "));
		String action = """
				Add its client to the pom, with a connection the application can use:

				<dependency>
				    <groupId>%s</groupId>
				    <artifactId>%s</artifactId>
				</dependency>

				or set '%s' to another of: %s.""".formatted(dependency.substring(0, colon),
				dependency.substring(colon + 1), cause.getProperty(), allowed);
		return new FailureAnalysis(cause.getMessage() + ".", action, cause);
	}

}
