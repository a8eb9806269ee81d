package org.lockspring.annotation;

import java.util.Collection;

/**
 * Finds methods that would run unlocked, for one way of weaving. The checks throw
 * {@link org.lockspring.InvalidLockDefinitionException}.
 */
interface LockWeavingCheck {

	/**
	 * Check what the class alone tells.
	 */
	void checkMethod(LockedMethod locked, Class<?> type);

	/**
	 * Check a bean that exists.
	 */
	void checkBean(String name, Object bean, Class<?> type, Collection<LockedMethod> methods);

}
