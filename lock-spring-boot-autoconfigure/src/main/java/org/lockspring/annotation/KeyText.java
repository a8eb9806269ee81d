package org.lockspring.annotation;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockKeyException;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * Turns values into keys: the same text for equal values in every process, or an
 * exception. Its messages are clauses, to be completed by whoever knows the expression,
 * and never contain a value.
 */
final class KeyText {

	private static final ClassValue<Boolean> hasOwnText = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			try {
				return ClassUtils.getUserClass(type).getMethod("toString").getDeclaringClass() != Object.class;
			}
			catch (NoSuchMethodException ex) {
				return false;
			}
		}

	};

	private KeyText() {
	}

	/**
	 * Return the keys that the result of a whole expression stands for.
	 */
	static List<String> keys(@Nullable Object value) {
		Collection<?> elements;
		if (value instanceof Collection<?> collection) {
			elements = collection;
		}
		else if (ObjectUtils.isArray(value)) {
			elements = Arrays.asList(ObjectUtils.toObjectArray(value));
		}
		else {
			return List.of(key(value, "it"));
		}
		Set<String> keys = new LinkedHashSet<>();
		for (Object element : elements) {
			keys.add(key(element, "one of its elements"));
		}
		if (keys.isEmpty()) {
			throw new LockKeyException("it has no elements");
		}
		return List.copyOf(keys);
	}

	private static String key(@Nullable Object value, String what) {
		String text = of(value, what);
		if (text.isBlank()) {
			throw new LockKeyException(what + " is blank");
		}
		return text;
	}

	/**
	 * Return the text of a value that is a part of a key.
	 */
	static String part(@Nullable Object value) {
		return of(value, "a part of it");
	}

	private static String of(@Nullable Object value, String what) {
		if (value == null) {
			throw new LockKeyException(what + " is null");
		}
		if (value instanceof String text) {
			return text;
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		Class<?> type = value.getClass();
		if (value instanceof Collection<?> || value instanceof Map<?, ?> || value instanceof Optional<?>
				|| type.isArray() || !hasOwnText.get(type)) {
			throw new LockKeyException(what + " has no stable text form: its type is " + type.getTypeName());
		}
		String text = value.toString();
		if (text == null) {
			throw new LockKeyException(what + " has null for its text: its type is " + type.getTypeName());
		}
		return text;
	}

}
