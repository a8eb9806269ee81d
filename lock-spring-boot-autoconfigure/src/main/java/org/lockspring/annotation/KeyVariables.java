package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The names under which key expressions see the arguments of one method.
 */
final class KeyVariables {

	private static final ParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();

	/**
	 * Its accessors and resolvers cache what they found, so every context shares them.
	 */
	private static final StandardEvaluationContext shared = new StandardEvaluationContext();

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

	StandardEvaluationContext context(LockCall call) {
		CallContext context = new CallContext(call);
		shared.applyDelegatesTo(context);
		return context;
	}

	private final class CallContext extends StandardEvaluationContext {

		private final LockCall call;

		CallContext(LockCall call) {
			super(call);
			this.call = call;
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer index = KeyVariables.this.indexes.get(name);
			return (index != null) ? this.call.getArgs()[index] : super.lookupVariable(name);
		}

	}

}
