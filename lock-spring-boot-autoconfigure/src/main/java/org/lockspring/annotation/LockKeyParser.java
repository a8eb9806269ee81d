package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.lockspring.InvalidLockDefinitionException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.StringUtils;

/**
 * Parses the keys of one method, and refuses at once what could only fail later.
 */
final class LockKeyParser {

	private static final SpelParserConfiguration configuration = new SpelParserConfiguration(SpelCompilerMode.OFF,
			null);

	private static final SpelExpressionParser parser = new SpelExpressionParser(configuration);

	private final String method;

	private final KeyVariables variables;

	/**
	 * Create a parser.
	 * @param specific the method of the real class
	 * @param method how messages name it
	 */
	LockKeyParser(Method specific, String method) {
		this.method = method;
		this.variables = new KeyVariables(specific);
	}

	/**
	 * Parse.
	 * @param text a key whose placeholders are resolved
	 */
	LockKeyExpression parse(String text) {
		if (!StringUtils.hasText(text)) {
			throw refuse("there is no key", "Name what to lock, for example key = \"'order:' + #id\"");
		}
		if (text.startsWith("@")) {
			throw noBeans(text);
		}
		boolean template = text.contains("#{");
		if (!template && text.indexOf('#') < 0 && text.indexOf('\'') < 0 && text.indexOf('"') < 0) {
			return LockKeyExpression.literal(text, this.method);
		}
		try {
			Function<EvaluationContext, @Nullable Object> value = template
					? template(parser.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION))
					: spel(parser.parseRaw(text));
			return LockKeyExpression.of(text, this.method,
					(call) -> value.apply(new CallContext(this.variables, call)));
		}
		catch (ParseException | IllegalStateException ex) {
			throw new InvalidLockDefinitionException(this.method + " key",
					"\"%s\" is not an expression: %s".formatted(text, ex.getMessage()),
					"Put literal text in single quotes, as in \"'order:' + #id\", or write a template, "
							+ "as in \"order:#{#id}\"",
					ex);
		}
	}

	private Function<EvaluationContext, @Nullable Object> template(Expression expression) {
		if (!(expression instanceof CompositeStringExpression composite)) {
			return part(expression);
		}
		List<Function<EvaluationContext, @Nullable Object>> parts = new ArrayList<>();
		for (Expression part : composite.getExpressions()) {
			parts.add(part(part));
		}
		return (context) -> {
			StringBuilder text = new StringBuilder();
			for (Function<EvaluationContext, @Nullable Object> part : parts) {
				text.append(KeyText.part(part.apply(context)));
			}
			return text.toString();
		};
	}

	private Function<EvaluationContext, @Nullable Object> part(Expression part) {
		if (part instanceof LiteralExpression) {
			String literal = part.getExpressionString();
			return (context) -> literal;
		}
		return spel((SpelExpression) part);
	}

	private Function<EvaluationContext, @Nullable Object> spel(SpelExpression expression) {
		check(expression.getAST());
		SpelNodeImpl strict = StrictConcatenation.in((SpelNodeImpl) expression.getAST());
		return new SpelExpression(expression.getExpressionString(), strict, configuration)::getValue;
	}

	private void check(SpelNode node) {
		if (node instanceof BeanReference) {
			throw noBeans(node.toStringAST());
		}
		if (node instanceof FunctionReference) {
			throw refuse("it calls the function " + node.toStringAST() + ", and there are none",
					"Call a method of an argument, of #root.target, or a static one: T(com.example.Keys).of(#id)");
		}
		if (node instanceof VariableReference) {
			checkName(node.toStringAST().substring(1));
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			check(node.getChild(i));
		}
	}

	private void checkName(String name) {
		if (name.equals("root") || name.equals("this") || this.variables.has(name)) {
			return;
		}
		List<String> names = this.variables.names();
		if (names == null) {
			throw refuse("the parameter #%s cannot be found, as the class was compiled without parameter names"
				.formatted(name), "Compile with -parameters, or write #p0 for the first parameter");
		}
		throw refuse("there is no parameter #" + name,
				names.isEmpty() ? "The method has no parameters" : "Use one of #" + String.join(", #", names));
	}

	private InvalidLockDefinitionException noBeans(String text) {
		return refuse("it refers to a bean, " + text, "Keys see the call only: compute the value before the call and "
				+ "pass it, or write the text in single quotes if it is meant literally");
	}

	private InvalidLockDefinitionException refuse(String problem, String remedy) {
		return new InvalidLockDefinitionException(this.method + " key", problem, remedy);
	}

}
