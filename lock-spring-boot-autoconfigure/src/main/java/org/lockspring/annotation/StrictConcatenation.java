package org.lockspring.annotation;

import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;

/**
 * A {@code +} that refuses to write "null", or anything else without a stable text form,
 * into a text. SpEL's own makes one key of all calls whose argument is null.
 */
final class StrictConcatenation extends OpPlus {

	private StrictConcatenation(int start, int end, SpelNodeImpl left, SpelNodeImpl right) {
		super(start, end, left, right);
	}

	/**
	 * Return the expression with every {@code +} replaced whose result can become a part
	 * of its value. What only decides (conditions, selections) stays as it is.
	 */
	static SpelNodeImpl in(SpelNodeImpl node) {
		int start = node.getStartPosition();
		int end = node.getEndPosition();
		if (node instanceof OpPlus && node.getChildCount() == 2) {
			return new StrictConcatenation(start, end, child(node, 0), child(node, 1));
		}
		if (node instanceof CompoundExpression) {
			return new CompoundExpression(start, end, children(node));
		}
		if (node instanceof Ternary) {
			return new Ternary(start, end, children(node));
		}
		if (node instanceof Elvis) {
			return new Elvis(start, end, children(node));
		}
		if (node instanceof InlineList) {
			return new InlineList(start, end, children(node));
		}
		if (node instanceof Projection) {
			return new Projection(node.isNullSafe(), start, end, child(node, 0));
		}
		if (node instanceof Indexer) {
			return new Indexer(node.isNullSafe(), start, end, child(node, 0));
		}
		if (node instanceof MethodReference method) {
			return new MethodReference(node.isNullSafe(), method.getName(), start, end, children(node));
		}
		return node;
	}

	private static SpelNodeImpl[] children(SpelNodeImpl node) {
		SpelNodeImpl[] children = new SpelNodeImpl[node.getChildCount()];
		for (int i = 0; i < children.length; i++) {
			children[i] = child(node, i);
		}
		return children;
	}

	private static SpelNodeImpl child(SpelNodeImpl node, int index) {
		return in((SpelNodeImpl) node.getChild(index));
	}

	@Override
	public TypedValue getValueInternal(ExpressionState state) {
		TypedValue left = getLeftOperand().getValueInternal(state);
		TypedValue right = getRightOperand().getValueInternal(state);
		if (left.getValue() instanceof String || right.getValue() instanceof String) {
			return new TypedValue(KeyText.part(left.getValue()) + KeyText.part(right.getValue()));
		}
		return new OpPlus(getStartPosition(), getEndPosition(), new Known(left), new Known(right))
			.getValueInternal(state);
	}

	@Override
	public boolean isCompilable() {
		return false;
	}

	/** A value that was computed already. */
	private static final class Known extends Literal {

		private final TypedValue value;

		Known(TypedValue value) {
			super(null, 0, 0);
			this.value = value;
		}

		@Override
		public TypedValue getLiteralValue() {
			return this.value;
		}

	}

}
