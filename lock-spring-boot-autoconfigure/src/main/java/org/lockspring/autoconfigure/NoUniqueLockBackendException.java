package org.lockspring.autoconfigure;

import java.util.List;

/**
 * Several backends could serve a mode, and nothing says which.
 */
class NoUniqueLockBackendException extends RuntimeException {

	private final String property;

	private final List<String> names;

	NoUniqueLockBackendException(String property, List<String> names) {
		super("Several lock backends can be built and '%s' is not set: %s".formatted(property, names));
		this.property = property;
		this.names = names;
	}

	String getProperty() {
		return this.property;
	}

	List<String> getNames() {
		return this.names;
	}

}
