package org.lockspring.annotation;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockKeyException;

/**
 * A key of one method, parsed.
 */
final class LockKeyExpression {

	private final String text;

	private final String method;

	private final @Nullable String literal;

	private final Function<LockCall, @Nullable Object> value;

	private LockKeyExpression(String text, String method, @Nullable String literal,
			Function<LockCall, @Nullable Object> value) {
		this.text = text;
		this.method = method;
		this.literal = literal;
		this.value = value;
	}

	static LockKeyExpression literal(String literal, String method) {
		return new LockKeyExpression(literal, method, literal, (call) -> literal);
	}

	/**
	 * Create an expression.
	 * @param text what the user wrote
	 * @param method where, for messages
	 * @param value evaluates it
	 */
	static LockKeyExpression of(String text, String method, Function<LockCall, @Nullable Object> value) {
		return new LockKeyExpression(text, method, null, value);
	}

	/**
	 * Return the key if it is the same for every call.
	 */
	@Nullable String literal() {
		return this.literal;
	}

	/**
	 * Evaluate for one call. Messages name the method and the expression, never a value.
	 * @return at least one key, all different, none blank
	 * @throws LockKeyException if there is no usable key
	 */
	List<String> keys(LockCall call) {
		try {
			return KeyText.keys(this.value.apply(call));
		}
		catch (LockKeyException ex) {
			throw new LockKeyException(describe() + " cannot be used: " + ex.getMessage(), ex.getCause());
		}
		catch (RuntimeException ex) {
			throw new LockKeyException(describe() + " could not be evaluated: " + ex.getClass().getSimpleName(), ex);
		}
	}

	private String describe() {
		return "Lock key \"%s\" of %s".formatted(this.text, this.method);
	}

	@Override
	public String toString() {
		return this.text;
	}

}
