package org.lockspring.annotation;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * What a key expression sees of one call. There is one for each call, so that it has no
 * state but the call; what caches and what converts is the same for all.
 */
final class CallContext implements EvaluationContext {

	private static final StandardEvaluationContext shared = new StandardEvaluationContext();

	private final KeyVariables variables;

	private final LockCall call;

	CallContext(KeyVariables variables, LockCall call) {
		this.variables = variables;
		this.call = call;
	}

	@Override
	public TypedValue getRootObject() {
		return new TypedValue(this.call);
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		return this.variables.value(name, this.call);
	}

	@Override
	public void setVariable(String name, @Nullable Object value) {
		throw new UnsupportedOperationException("A key sets no variables");
	}

	@Override
	public List<PropertyAccessor> getPropertyAccessors() {
		return shared.getPropertyAccessors();
	}

	@Override
	public List<IndexAccessor> getIndexAccessors() {
		return shared.getIndexAccessors();
	}

	@Override
	public List<ConstructorResolver> getConstructorResolvers() {
		return shared.getConstructorResolvers();
	}

	@Override
	public List<MethodResolver> getMethodResolvers() {
		return shared.getMethodResolvers();
	}

	@Override
	public @Nullable BeanResolver getBeanResolver() {
		return shared.getBeanResolver();
	}

	@Override
	public TypeLocator getTypeLocator() {
		return shared.getTypeLocator();
	}

	@Override
	public TypeConverter getTypeConverter() {
		return shared.getTypeConverter();
	}

	@Override
	public TypeComparator getTypeComparator() {
		return shared.getTypeComparator();
	}

	@Override
	public OperatorOverloader getOperatorOverloader() {
		return shared.getOperatorOverloader();
	}

}
