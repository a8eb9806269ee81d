package org.lockspring.annotation;

import java.util.Arrays;
import java.util.Collection;

import org.lockspring.InvalidLockDefinitionException;

/**
 * Finds methods that AspectJ did not weave. Any modifier will do, but only what the
 * pointcuts of {@link DistributedLockAspect} see.
 */
final class LockAspectCheck implements LockWeavingCheck {

	@Override
	public void checkMethod(LockedMethod locked, Class<?> type) {
		Class<?> owner = locked.method().getDeclaringClass();
		if (owner.isInterface() && type.isInterface()) {
			return; // a bean that is created later: its class is not known
		}
		if (locked.result().kind() == LockedResult.Kind.SUSPENDING) {
			throw new InvalidLockDefinitionException(LockedMethod.describe(locked.method(), type),
					"the method suspends, and lock.annotation.mode is aspectj: the lock would end at the first suspension",
					"Use lock.annotation.mode=proxy");
		}
		// AspectJ moves the body of an advised method to name_aroundBody0 or another
		// number
		String prefix = locked.method().getName() + "_aroundBody";
		if (Arrays.stream(owner.getDeclaredMethods()).noneMatch((method) -> method.getName().startsWith(prefix))) {
			throw new InvalidLockDefinitionException(LockedMethod.describe(locked.method(), type),
					"lock.annotation.mode is aspectj, but AspectJ did not weave " + owner.getName(),
					"Include the class in aop.xml and start with the weaver's agent, or weave when compiling. If it "
							+ "was, put the annotation on the method itself");
		}
	}

	@Override
	public void checkBean(String name, Object bean, Class<?> type, Collection<LockedMethod> methods) {
	}

}
