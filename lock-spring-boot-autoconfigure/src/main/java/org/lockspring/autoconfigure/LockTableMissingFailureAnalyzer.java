package org.lockspring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

class LockTableMissingFailureAnalyzer extends AbstractFailureAnalyzer<LockTableMissingException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockTableMissingException cause) {
		String action = """
				If the table is missing, let it be created at start:

				    lock.jdbc.initialize-schema=always

				or run the statement above. If the table is in another database, mark its DataSource bean \
				with @LockDataSource.""";
		return new FailureAnalysis(cause.getMessage(), action, cause);
	}

}
