package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockKeyException;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a key expression makes of the arguments of a call.
 */
class LockKeyTests {

	private static final String METHOD = "Service#call(Object, int)";

	@ParameterizedTest
	@CsvSource(quoteCharacter = '^', textBlock = """
			nightly-report         | nightly-report
			a:b/c d.e              | a:b/c d.e
			'order:' + #id         | order:H1
			'order:' + #id + ':' + #n + '.' | order:H1:7.
			#id                    | H1
			#p0                    | H1
			#a0                    | H1
			#p1                    | 7
			#root.args[0]          | H1
			#root.args[1]          | 7
			#root.method.name      | call
			#root.targetClass.name | org.lockspring.annotation.LockKeyTests$Service
			#root.target.region    | eu
			order:#{#id}           | order:H1
			#{#id}:#{#n}           | H1:7
			#{#id}                 | H1
			#n + 1                 | 8
			'x' + (#n + 1)         | x8
			#n + 1 + 'x'           | 8x
			#id == 'H1' ? 'one' + #n : 'other' | one7
			#id?:'none'            | H1
			'a'                    | a
			"a"                    | a
			'#id'                  | #id
			T(java.lang.String).valueOf(#n) | 7
			""", delimiter = '|')
	void aValueBecomesTheKey(String key, String expected) {
		assertThat(keys(key, "H1", 7)).containsExactly(expected);
	}

	@Test
	void differentCallsHaveDifferentKeys() {
		LockKeyExpression expression = parse("#id");
		assertThat(expression.keys(call("H1", 0))).isNotEqualTo(expression.keys(call("H2", 0)));
		assertThat(keys("#id", " H1", 0)).containsExactly(" H1");
		assertThat(keys("#id", "H1 ", 0)).containsExactly("H1 ");
		assertThat(keys("#id", "h1", 0)).containsExactly("h1");
	}

	@Test
	void valuesWithAStableTextServe() {
		UUID id = UUID.randomUUID();
		assertThat(keys("#id", id, 0)).containsExactly(id.toString());
		assertThat(keys("'x' + #id", id, 0)).containsExactly("x" + id);
		assertThat(keys("#id", Size.LARGE, 0)).containsExactly("LARGE");
		assertThat(keys("'x' + #id", Size.LARGE, 0)).containsExactly("xLARGE");
		assertThat(keys("#id", new Name("n"), 0)).containsExactly("Name[value=n]");
		assertThat(keys("#id", 'c', 0)).containsExactly("c");
	}

	@Test
	void collectionsAndArraysGiveSeveralKeysWithoutDuplicates() {
		assertThat(keys("#id", List.of("b", "a", "b"), 0)).containsExactlyInAnyOrder("a", "b");
		assertThat(keys("#id", new String[] { "b", "a" }, 0)).containsExactlyInAnyOrder("a", "b");
		assertThat(keys("#id", new int[] { 2, 1, 2 }, 0)).containsExactlyInAnyOrder("1", "2");
		assertThat(keys("#id.![ 'order:' + #this ]", List.of(1, 2), 0)).containsExactlyInAnyOrder("order:1", "order:2");
		assertThat(keys("{'a', 'n' + #n}", "", 3)).containsExactlyInAnyOrder("a", "n3");
		assertThat(keys("#{#id}", List.of("a", "b"), 0)).containsExactlyInAnyOrder("a", "b");
		assertThat(keys("#id.?[ #this > 1 ]", List.of(1, 2, 3), 0)).containsExactlyInAnyOrder("2", "3");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#id", "'order:' + #id", "#id + ':order'", "'a' + #id + 'b'", "order:#{#id}", "#{#id}",
			"#{#id}#{#n}", "#n > 0 ? 'order:' + #id : 'none'", "#id ?: #id", "{'a', 'b' + #id}", "{'a', #id}",
			"'x'.concat('y' + #id)", "{1,2}.![ #this + 'x' + #id ]", "('a' + #id).toUpperCase()", "#id.name",
			"#id?.name", "#root.target.echo('a' + #id)", "{a: 'x' + #n}['a' + #id]" })
	void nullIsNoKeyAndNoPartOfOne(String key) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys(key, null, 7))
			.withMessageContaining("Service#call")
			.withMessageContaining(key);
	}

	@Test
	void nullInsideAnObjectIsNoKeyEither() {
		Name anonymous = new Name(null);
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys("#id.value", anonymous, 0));
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys("#id?.value", anonymous, 0));
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys("'x' + #id.value", anonymous, 0));
		assertThatExceptionOfType(LockKeyException.class)
			.isThrownBy(() -> keys("#id.![ 'x' + value ]", List.of(new Name("a"), anonymous), 0));
	}

	@Test
	void theTextNullIsAKey() {
		assertThat(keys("'order:' + #id", "null", 0)).containsExactly("order:null");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t\n", "\u2003" })
	void blankIsNoKey(String value) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys("#id", value, 0))
			.withMessageContaining("blank");
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys("#id", List.of("a", value), 0));
	}

	@Test
	void whatHasNoStableTextIsNoKey() {
		Object[] values = { new Object(), Optional.of("a"), Optional.empty(), Stream.of("a"), Map.of("a", "b"),
				(Runnable) () -> {
				}, List.of(List.of("a")), List.of(), new Object[0], Arrays.asList("a", null),
				new Object[] { new int[] { 1 } }, new Textless() };
		for (Object value : values) {
			assertThatExceptionOfType(LockKeyException.class).as(value.getClass().getName())
				.isThrownBy(() -> keys("#id", value, 0));
		}
		for (Object value : new Object[] { new Object(), Optional.of("a"), Map.of(), List.of("a"), new String[] { "a" },
				new Textless() }) {
			for (String key : List.of("'a' + #id", "#id + 'a'", "a#{#id}")) {
				assertThatExceptionOfType(LockKeyException.class).as(value.getClass().getName())
					.isThrownBy(() -> keys(key, value, 0));
			}
		}
	}

	@Test
	void messagesNeverShowAValueAndKeepTheCause() {
		Secretive secretive = new Secretive();
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys("#id.name", secretive, 0))
			.withMessageContaining("#id.name")
			.withMessageContaining(METHOD)
			.withMessageNotContaining("secret")
			.withRootCauseInstanceOf(IllegalStateException.class);
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys("#id.length.nothing", "secret", 0))
			.withMessageNotContaining("secret");
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys("#id", List.of("secret", " "), 0))
			.withMessageNotContaining("secret");
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys("'a' + #id", secretive, 0))
			.withMessageNotContaining("secret");
	}

	@Test
	void operandsAreEvaluatedOnce() {
		Service service = new Service();
		LockKeyExpression expression = parse("#root.target.next() + 1");
		assertThat(expression.keys(new LockCall(method("call"), Service.class, service, new Object[] { "", 0 })))
			.containsExactly("2");
		assertThat(service.calls).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#order", "'a' + #order.id", "order:#{#order.id}", "#p2", "#a7", "#id.![ #order ]",
			"#id.?[ #this == #order ]" })
	void anUnknownNameIsRefusedWithTheKnownOnes(String key) {
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> parse(key))
			.satisfies((ex) -> assertThat(ex.getSubject()).isEqualTo(METHOD + " key"))
			.withMessageContaining("#id, #n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "@bean", "@keyNames.forTenant(#id)", "'a' + @bean.name", "a#{@bean}", "&@bean + #id",
			"@keyNames.daily()" })
	void beansAreRefused(String key) {
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> parse(key));
	}

	@ParameterizedTest
	@ValueSource(strings = { "order#1", "#id +", "'open", "order:#{#id", "it's", "#{}", "#function(#id)", "#" })
	void whatIsNoExpressionIsRefused(String key) {
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> parse(key))
			.satisfies((ex) -> assertThat(ex.getSubject()).isEqualTo(METHOD + " key"))
			.satisfies((ex) -> assertThat(ex.getRemedy()).isNotEmpty());
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t" })
	void aBlankKeyIsRefused(String key) {
		assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> parse(key))
			.withMessageContaining("no key");
	}

	private static List<String> keys(String key, @Nullable Object id, int n) {
		return parse(key).keys(call(id, n));
	}

	private static LockCall call(@Nullable Object id, int n) {
		return new LockCall(method("call"), Service.class, new Service(), new Object[] { id, n });
	}

	private static LockKeyExpression parse(String key) {
		return new LockKeyParser(method("call"), METHOD).parse(key);
	}

	private static Method method(String name) {
		return Arrays.stream(ReflectionUtils.getDeclaredMethods(Service.class))
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	static class Service {

		private int calls;

		void call(Object id, int n) {
		}

		public String getRegion() {
			return "eu";
		}

		public String echo(String text) {
			return text;
		}

		public int next() {
			return ++this.calls;
		}

	}

	enum Size {

		LARGE;

		@Override
		public String toString() {
			return "a large one";
		}

	}

	record Name(@Nullable String value) {

	}

	static class Secretive {

		public String getName() {
			throw new IllegalStateException("secret");
		}

		@Override
		public String toString() {
			throw new IllegalStateException("secret");
		}

	}

	static class Textless {

		@Override
		public String toString() {
			return null;
		}

	}

}
