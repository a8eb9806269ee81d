package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.lockspring.core.LockSettings;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;

/**
 * Knows what is declared for a method; reads every annotation once.
 */
final class LockAttributesSource {

	private final Map<MethodClassKey, LockedMethod> cache = new ConcurrentHashMap<>();

	private final LockCandidates candidates = new LockCandidates();

	private final LockAttributesParser parser;

	LockAttributesSource(LockAttributesParser parser) {
		this.parser = parser;
	}

	/**
	 * Create a source.
	 * @param beanFactory resolves placeholders; the embedded value resolver would also
	 * evaluate templates
	 * @param settings what applies where an annotation is silent
	 */
	static LockAttributesSource of(BeanFactory beanFactory, ObjectProvider<LockSettings> settings) {
		UnaryOperator<@Nullable String> placeholders = (beanFactory instanceof ConfigurableBeanFactory configurable)
				? configurable::resolveEmbeddedValue : (value) -> value;
		return new LockAttributesSource(new LockAttributesParser(placeholders, settings::getIfAvailable));
	}

	/**
	 * Return whether a method of the class may be locked; {@code false} is certain.
	 * @param targetClass the class it would be called on
	 */
	boolean isCandidateClass(Class<?> targetClass) {
		return this.candidates.contains(targetClass);
	}

	/**
	 * Return what is declared.
	 * @param method a method as it was called, of a class or an interface
	 * @param targetClass the class it was called on
	 * @throws org.lockspring.InvalidLockDefinitionException if a declaration cannot work
	 */
	LockedMethod get(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		LockedMethod known = this.cache.get(key);
		return (known != null) ? known : this.cache.computeIfAbsent(key, (k) -> read(method, targetClass));
	}

	private LockedMethod read(Method method, Class<?> targetClass) {
		Class<?> type = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, type);
		List<LockAttributes> locks = LockDeclarations.find(specific, type)
			.stream()
			.map(MergedAnnotation::synthesize)
			.map((annotation) -> this.parser.parse(annotation, specific, type))
			.toList();
		return new LockedMethod(specific, LockedResult.of(specific, type), locks);
	}

}
