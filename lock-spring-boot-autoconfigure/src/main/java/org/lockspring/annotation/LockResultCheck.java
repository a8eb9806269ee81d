package org.lockspring.annotation;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.lockspring.InvalidLockDefinitionException;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Refuses what a method returns if the lock cannot serve it.
 */
final class LockResultCheck {

	private static final Map<String, String> REACTOR = Map.of("reactor.core.publisher.Flux",
			"io.projectreactor:reactor-core");

	private LockResultCheck() {
	}

	static void check(LockedMethod locked, Class<?> type) {
		String subject = LockedMethod.describe(locked.method(), type);
		Class<?> result = locked.result().type();
		if (locked.skipsIfBusy() && result.isPrimitive() && result != void.class) {
			throw new InvalidLockDefinitionException(subject + " onBusy",
					"SKIP returns null when the lock is busy, and the method returns " + result.getName(),
					"Return the wrapper type or an Optional, or use onBusy = THROW");
		}
		switch (locked.result().kind()) {
			case VALUE -> checkValue(subject, result);
			case STAGE -> checkReturned(subject, result, CompletableFuture.class);
			case REACTIVE -> checkReactive(subject, locked, result);
			case SUSPENDING -> throw new InvalidLockDefinitionException(subject,
					"it suspends, so that the lock would end before the work does",
					"Lock a method that does the work before it returns, or use ReactiveLockTemplate");
		}
	}

	private static void checkValue(String subject, Class<?> result) {
		if (Future.class.isAssignableFrom(result)) {
			throw new InvalidLockDefinitionException(subject, "it returns " + result.getSimpleName()
					+ ", whose end shows only to a thread that waits for it: the lock would end before the work",
					"Return CompletableFuture");
		}
		if (result == Callable.class || Flow.Publisher.class.isAssignableFrom(result)) {
			throw new InvalidLockDefinitionException(subject,
					"it returns " + result.getSimpleName() + ", so that the lock would end before the work does",
					"Lock the method that does the work, or return CompletableFuture or a type of Reactor");
		}
	}

	private static void checkReactive(String subject, LockedMethod locked, Class<?> result) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(result);
		Assert.state(adapter != null, () -> "No adapter for " + result);
		require(subject, "it returns " + result.getSimpleName(), REACTOR);
		checkReturned(subject, result, adapter.getReactiveType());
		if (locked.skipsIfBusy() && !adapter.supportsEmpty()) {
			throw new InvalidLockDefinitionException(subject + " onBusy",
					"SKIP ends empty when the lock is busy, and " + result.getSimpleName() + " needs a value",
					"Return a type that may be empty, or use onBusy = THROW");
		}
	}

	/** The lock puts an object of its own around the one that the method returns. */
	private static void checkReturned(String subject, Class<?> result, Class<?> returned) {
		if (!result.isAssignableFrom(returned)) {
			throw new InvalidLockDefinitionException(subject, "it returns %s, and under a lock it can only be a %s"
				.formatted(result.getSimpleName(), returned.getSimpleName()), "Return " + returned.getSimpleName());
		}
	}

	private static void require(String subject, String problem, Map<String, String> libraries) {
		libraries.forEach((type, library) -> {
			if (!ClassUtils.isPresent(type, LockResultCheck.class.getClassLoader())) {
				throw new InvalidLockDefinitionException(subject,
						problem + ", and without " + library + " the lock would end before the work does",
						"Add " + library + ", or lock a method that does the work before it returns");
			}
		});
	}

}
