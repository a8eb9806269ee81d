package org.lockspring.autoconfigure;

import java.util.Arrays;
import java.util.stream.Collectors;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

class LockBackendNotAvailableFailureAnalyzer extends AbstractFailureAnalyzer<LockBackendNotAvailableException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockBackendNotAvailableException cause) {
		LockBackendType type = cause.getType();
		String[] dependency = type.dependency().split(":", 3);
		String version = (dependency.length > 2) ? "\n    <version>" + dependency[2] + "</version>" : "";
		String allowed = Arrays.stream(LockBackendType.values())
			.map(LockBackendType::backendName)
			.collect(Collectors.joining(", "));
		String action = """
				Add its client to the pom, with a connection the application can use (%s):

				<dependency>
				    <groupId>%s</groupId>
				    <artifactId>%s</artifactId>%s
				</dependency>

				or set '%s' to another of: %s.""".formatted(type.connection(), dependency[0], dependency[1], version,
				cause.getProperty(), allowed);
		return new FailureAnalysis(cause.getMessage() + ".", action, cause);
	}

}
