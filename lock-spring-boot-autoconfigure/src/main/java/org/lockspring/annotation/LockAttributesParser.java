package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockRequest;
import org.lockspring.core.LockSettings;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;

/**
 * Reads one annotation.
 */
final class LockAttributesParser {

	private static final LockRequest ANY = LockRequest.of("any");

	private final UnaryOperator<@Nullable String> placeholders;

	private final Supplier<@Nullable LockSettings> defaults;

	/**
	 * Create a parser.
	 * @param placeholders resolves <code>${...}</code> and nothing else
	 * @param defaults what applies where the annotation is silent, if it is known
	 */
	LockAttributesParser(UnaryOperator<@Nullable String> placeholders, Supplier<@Nullable LockSettings> defaults) {
		this.placeholders = placeholders;
		this.defaults = defaults;
	}

	LockAttributes parse(DistributedLock annotation, Method method, Class<?> targetClass) {
		String subject = LockedMethod.describe(method, targetClass);
		String text = resolve(subject + " key", annotation.key());
		LockKeyExpression key = new LockKeyParser(method, subject).parse(text);
		Duration ttl = duration(subject + " ttl", annotation.ttl(), "10ms", ANY::withTtl);
		Duration waitTime = duration(subject + " waitTime", annotation.waitTime(), "0s", ANY::withWaitTime);
		Duration minHold = duration(subject + " minHold", annotation.minHold(), "0s", ANY::withMinHold);
		LockSettings settings = this.defaults.get();
		if (minHold != null) {
			checkMinHold(subject, minHold, ttl, settings);
		}
		Duration budget = (waitTime == null && settings != null) ? settings.waitTime() : waitTime;
		LockRequest prototype = new LockRequest(text, annotation.mode(), ttl, waitTime,
				(minHold != null) ? minHold : Duration.ZERO, annotation.autoRenew(),
				LockedMethod.name(method, targetClass));
		return new LockAttributes(key, prototype, budget, annotation.onBusy());
	}

	private String resolve(String subject, String value) {
		String resolved;
		try {
			resolved = this.placeholders.apply(value);
		}
		catch (IllegalArgumentException ex) {
			throw unresolved(subject, value, ex);
		}
		if (resolved == null) {
			return "";
		}
		if (resolved.contains("${")) {
			throw unresolved(subject, value, null);
		}
		return resolved;
	}

	private static InvalidLockDefinitionException unresolved(String subject, String value, @Nullable Exception cause) {
		return new InvalidLockDefinitionException(subject,
				"\"%s\" has a placeholder that cannot be resolved".formatted(value),
				"Set the property, or give it a default: ${name:default}", cause);
	}

	private @Nullable Duration duration(String subject, String value, String least, Consumer<Duration> checkRange) {
		String text = resolve(subject, value);
		if (!StringUtils.hasText(text)) {
			return null;
		}
		try {
			Duration duration = DurationFormatterUtils.detectAndParse(text, DurationFormat.Unit.MILLIS);
			checkRange.accept(duration);
			return duration;
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			throw new InvalidLockDefinitionException(subject,
					"\"%s\" cannot be used: %s".formatted(text, ex.getMessage()),
					"Write %s to 24h: \"30s\", \"PT30S\", \"${some.property:30s}\", or plain milliseconds"
						.formatted(least),
					ex);
		}
	}

	private static void checkMinHold(String subject, Duration minHold, @Nullable Duration ttl,
			@Nullable LockSettings settings) {
		Duration longest = (ttl == null && settings != null) ? settings.ttl() : ttl;
		if (longest != null && minHold.compareTo(longest) > 0) {
			throw new InvalidLockDefinitionException(subject + " minHold",
					"%s is longer than the ttl, %s%s".formatted(minHold, longest,
							(ttl == null) ? " (property lock.ttl)" : ""),
					"A lock cannot be kept for longer than its ttl: raise ttl or lower minHold");
		}
	}

}
