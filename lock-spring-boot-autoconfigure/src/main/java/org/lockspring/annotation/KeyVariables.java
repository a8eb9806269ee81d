package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The names under which key expressions see the arguments of one method.
 */
final class KeyVariables {

	private static final ParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();

	private final Map<String, Integer> indexes = new HashMap<>();

	private final @Nullable List<String> names;

	KeyVariables(Method method) {
		@Nullable String[] found = discoverer.getParameterNames(method);
		this.names = (found != null) ? List.of(found) : null;
		for (int i = 0; i < method.getParameterCount(); i++) {
			this.indexes.put("p" + i, i);
			this.indexes.put("a" + i, i);
		}
		if (this.names != null) {
			for (int i = 0; i < this.names.size(); i++) {
				this.indexes.put(this.names.get(i), i);
			}
		}
	}

	boolean has(String name) {
		return this.indexes.containsKey(name);
	}

	/**
	 * Return the parameter names, or {@code null} if the class file lacks them.
	 */
	@Nullable List<String> names() {
		return this.names;
	}

	/**
	 * Return the argument of a name; {@code null} also if there is none.
	 */
	@Nullable Object value(String name, LockCall call) {
		Integer index = this.indexes.get(name);
		return (index != null) ? call.getArgs()[index] : null;
	}

}
