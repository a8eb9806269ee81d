package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.lockspring.InvalidLockDefinitionException;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/**
 * Refuses what a method returns if the lock cannot serve it.
 */
final class LockResultCheck {

	private LockResultCheck() {
	}

	static void check(LockedMethod locked, Class<?> type) {
		Method method = locked.method();
		String subject = LockedMethod.describe(method, type);
		Class<?> result = ResolvableType.forMethodReturnType(method, type).resolve(Object.class);
		if (locked.skipsIfBusy() && result.isPrimitive() && result != void.class) {
			throw new InvalidLockDefinitionException(subject + " onBusy",
					"SKIP returns null when the lock is busy, and the method returns " + result.getName(),
					"Return the wrapper type or an Optional, or use onBusy = THROW");
		}
		if (KotlinDetector.isSuspendingFunction(method)) {
			throw outlived(subject, "the method suspends");
		}
		if (isDeferred(result)) {
			throw outlived(subject, "it returns " + result.getSimpleName());
		}
	}

	private static boolean isDeferred(Class<?> result) {
		return CompletionStage.class.isAssignableFrom(result) || Future.class.isAssignableFrom(result)
				|| Flow.Publisher.class.isAssignableFrom(result) || result == Callable.class
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null;
	}

	private static InvalidLockDefinitionException outlived(String subject, String problem) {
		return new InvalidLockDefinitionException(subject,
				problem + ", so that the lock would end before the work does",
				"Lock a method that does the work before it returns. It may be @Async and return void: "
						+ "the lock is then taken by the thread that runs it");
	}

}
