package org.lockspring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

class FenceTableMissingFailureAnalyzer extends AbstractFailureAnalyzer<FenceTableMissingException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, FenceTableMissingException cause) {
		String description = "A lock with mode = CORRECTNESS needs the table lock_fence in the guarded database, "
				+ "and it is missing there or cannot be used.";
		String action = """
				Let the table be created at start:

				    lock.fencing.jdbc.initialize-schema=always

				or create it yourself:

				%s;

				If the table belongs to another database, name its DataSource bean in \
				lock.fencing.jdbc.data-source.""".formatted(cause.getCreateStatement());
		return new FailureAnalysis(description, action, cause);
	}

}
