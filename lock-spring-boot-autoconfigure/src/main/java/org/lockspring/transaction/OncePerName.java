package org.lockspring.transaction;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets a warning through once per name, for as many names as an application has methods.
 */
final class OncePerName {

	private static final int MAX_NAMES = 1000;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	boolean isFirst(String name) {
		return this.names.size() < MAX_NAMES && this.names.add(name);
	}

}
