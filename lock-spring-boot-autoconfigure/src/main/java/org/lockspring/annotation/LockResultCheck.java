package org.lockspring.annotation;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.Collectors;

import org.lockspring.InvalidLockDefinitionException;
import org.springframework.core.MethodParameter;
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

	/** What Spring needs to show a coroutine as a subscription. */
	private static final Map<String, String> COROUTINES = Map.of("kotlinx.coroutines.reactor.MonoKt",
			"org.jetbrains.kotlinx:kotlinx-coroutines-reactor", "kotlin.reflect.full.KClasses",
			"org.jetbrains.kotlin:kotlin-reflect");

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
			case SUSPENDING -> checkSuspending(subject, locked, result);
		}
	}

	private static void checkValue(String subject, Class<?> result) {
		if (isOfCoroutines(result)) {
			require(subject, "it returns " + result.getSimpleName(), COROUTINES);
			throw new InvalidLockDefinitionException(subject,
					"it returns " + result.getSimpleName() + ", so that the lock would end before the work does",
					"Let the function suspend, or return Deferred or Flow");
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

	private static void checkSuspending(String subject, LockedMethod locked, Class<?> result) {
		require(subject, "it suspends", COROUTINES);
		boolean mayBeNull = result == void.class || locked.result().isFlow()
				|| new MethodParameter(locked.method(), -1).isOptional();
		if (locked.skipsIfBusy() && !mayBeNull) {
			throw new InvalidLockDefinitionException(subject + " onBusy",
					"SKIP returns null when the lock is busy, and the function's type does not allow it",
					"Return a nullable type, or use onBusy = THROW");
		}
	}

	/** By name: coroutines are optional. */
	private static boolean isOfCoroutines(Class<?> result) {
		return result.getName().startsWith("kotlinx.coroutines.") || ClassUtils.getAllInterfacesForClassAsSet(result)
			.stream()
			.anyMatch((type) -> type.getName().startsWith("kotlinx.coroutines."));
	}

	private static void require(String subject, String problem, Map<String, String> libraries) {
		String missing = libraries.entrySet()
			.stream()
			.filter((library) -> !ClassUtils.isPresent(library.getKey(), LockResultCheck.class.getClassLoader()))
			.map(Map.Entry::getValue)
			.sorted()
			.collect(Collectors.joining(" and "));
		if (!missing.isEmpty()) {
			throw new InvalidLockDefinitionException(subject,
					problem + ", and without " + missing + " the lock would end before the work does",
					"Add " + missing + ", or lock a method that does the work before it returns");
		}
	}

}
