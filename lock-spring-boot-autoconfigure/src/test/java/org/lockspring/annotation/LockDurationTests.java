package org.lockspring.annotation;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockSettings;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Durations that are written as text.
 */
class LockDurationTests {

	private final LockSettings settings = new LockSettings("test", Duration.ofMinutes(5), Duration.ofSeconds(2));

	@ParameterizedTest
	@CsvSource(nullValues = "null", textBlock = """
			30s,                30000
			PT30S,              30000
			30,                 30
			1m30s,              90000
			24h,                86400000
			10ms,               10
			${jobs.ttl:30s},    30000
			${jobs.known},      7000
			'',                 null
			${jobs.empty:},     null
			""")
	void everyFormOfADurationIsUnderstood(String text, Long millis) throws Exception {
		Duration expected = (millis != null) ? Duration.ofMillis(millis) : null;
		assertThat(parse(text, "", "").prototype().ttl()).isEqualTo(expected);
		assertThat(parse("24h", text, "").prototype().waitTime()).isEqualTo(expected);
		assertThat(parse("24h", "", text).prototype().minHold())
			.isEqualTo((expected != null) ? expected : Duration.ZERO);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "abc", "-1s", "0s", "9ms", "0", "PT-5S", "24h1ms", "25h", "30 s", "1y", "99999999999999999999s",
					"9223372036854775807s", "9223372036854775807", "1.5s", "${jobs.unknown}", "P1D1H", "500us", "1ns" })
	void anUnusableTtlIsRefused(String text) {
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> parse(text, "", ""))
			.satisfies((ex) -> assertThat(ex.getSubject()).isEqualTo("LockDurationTests.Job#run(String) ttl"))
			.satisfies((ex) -> assertThat(ex.getRemedy()).isNotEmpty())
			.withMessageContaining(text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "abc", "-1s", "24h1ms", "${jobs.unknown}" })
	void unusableOtherTimesAreRefused(String text) {
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> parse("", text, ""))
			.satisfies((ex) -> assertThat(ex.getSubject()).isEqualTo("LockDurationTests.Job#run(String) waitTime"));
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> parse("", "", text))
			.satisfies((ex) -> assertThat(ex.getSubject()).isEqualTo("LockDurationTests.Job#run(String) minHold"));
	}

	@Test
	void noWaitingAndNoHoldingAreUsable() throws Exception {
		LockRequest request = parse("", "0s", "0").prototype();
		assertThat(request.waitTime()).isZero();
		assertThat(request.minHold()).isZero();
	}

	@Test
	void minHoldLongerThanTheTtlIsRefusedWithBothValues() throws Exception {
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> parse("5m", "", "10m"))
			.withMessageContaining("PT10M")
			.withMessageContaining("PT5M");
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> parse("", "", "301s"))
			.withMessageContaining("PT5M1S")
			.withMessageContaining("PT5M")
			.withMessageContaining("lock.ttl");
		assertThat(parse("", "", "5m").prototype().minHold()).isEqualTo(Duration.ofMinutes(5));
	}

	@Test
	void whatIsNotSaidIsLeftToTheProperties() throws Exception {
		LockAttributes attributes = parse("", "", "");
		assertThat(attributes.prototype()).isEqualTo(LockRequest.of("job").withCaller("LockDurationTests.Job#run"));
		assertThat(attributes.budget()).isEqualTo(Duration.ofSeconds(2));
		assertThat(attributes.onBusy()).isEqualTo(OnBusy.THROW);
	}

	@Test
	void everyAttributeIsRead() throws Exception {
		LockRequest request = new LockAttributesParser((value) -> value, () -> null)
			.parse(Job.class.getMethod("all").getAnnotation(DistributedLock.class), Job.class.getMethod("all"),
					Job.class)
			.prototype();
		assertThat(request).isEqualTo(new LockRequest("all", LockMode.CORRECTNESS, Duration.ofSeconds(3),
				Duration.ofSeconds(2), Duration.ofSeconds(1), false, "LockDurationTests.Job#all"));
	}

	@Test
	void aBadDurationEndsTheStart() {
		Locks.application(BadlyTimed.class)
			.run((context) -> assertThat(Locks.refusal(context).getSubject())
				.isEqualTo("LockDurationTests.BadlyTimed#ship() ttl"));
		Locks.application(BadlyTimed.class)
			.withPropertyValues("ship.ttl=30s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aMinHoldLongerThanTheDefaultTtlEndsTheStart() {
		Locks.application(LongHold.class)
			.withPropertyValues("lock.ttl=30s")
			.run((context) -> assertThat(Locks.refusal(context)).hasMessageContaining("PT1M")
				.hasMessageContaining("PT30S"));
		Locks.application(LongHold.class)
			.withPropertyValues("lock.ttl=60s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private LockAttributes parse(String ttl, String waitTime, String minHold) throws Exception {
		MockEnvironment environment = new MockEnvironment().withProperty("jobs.known", "7s");
		LockAttributesParser parser = new LockAttributesParser(environment::resolveRequiredPlaceholders,
				() -> this.settings);
		return parser.parse(annotation(ttl, waitTime, minHold),
				ReflectionUtils.findMethod(Job.class, "run", String.class), Job.class);
	}

	private static DistributedLock annotation(String ttl, String waitTime, String minHold) {
		return MergedAnnotation
			.of(DistributedLock.class, Map.of("key", "job", "ttl", ttl, "waitTime", waitTime, "minHold", minHold))
			.synthesize();
	}

	static class Job {

		public void run(String argument) {
		}

		@DistributedLock(key = "all", mode = LockMode.CORRECTNESS, ttl = "3s", waitTime = "2s", minHold = "1s",
				autoRenew = false)
		public void all() {
		}

	}

	static class BadlyTimed {

		@DistributedLock(key = "ship", ttl = "${ship.ttl:0s}")
		public void ship() {
		}

	}

	static class LongHold {

		@DistributedLock(key = "hold", minHold = "1m")
		public void run() {
		}

	}

}
