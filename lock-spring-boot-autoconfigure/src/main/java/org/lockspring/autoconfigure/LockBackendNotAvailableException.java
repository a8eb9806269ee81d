package org.lockspring.autoconfigure;

/**
 * A property names a backend that cannot be built.
 */
class LockBackendNotAvailableException extends RuntimeException {

	private final String property;

	private final LockBackendType type;

	LockBackendNotAvailableException(String property, LockBackendType type) {
		super("The property '%s' names the backend '%s', which cannot be built".formatted(property,
				type.backendName()));
		this.property = property;
		this.type = type;
	}

	String getProperty() {
		return this.property;
	}

	LockBackendType getType() {
		return this.type;
	}

}
