package org.lockspring.core;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Different namespaces and keys never share a name, and every name can be stored. */
class StoredNamesTests {

	@Test
	void ordinaryKeysStayReadable() {
		StoredNames names = new StoredNames("billing");
		assertThat(names.of("nightly-report")).isEqualTo("billing:{nightly-report}");
		assertThat(names.of("order:1")).isEqualTo("billing:{order:1}");
		assertThat(names.of("zwölf")).isEqualTo("billing:{zwölf}");
	}

	@Test
	void namespaceAndKeyDoNotRunIntoEachOther() {
		assertThat(new StoredNames("a:b").of("c")).isNotEqualTo(new StoredNames("a").of("b:c"));
		assertThat(new StoredNames("a:{b}").of("c")).isNotEqualTo(new StoredNames("a").of("b}c"));
	}

	@Test
	void strangeKeysAreEscapedAndStayApart() {
		StoredNames names = new StoredNames("app");
		List<String> keys = List.of("a", "a ", " a", "A", "{a}", "}{", "{", "}", "%7B", "%", "%%7B", "a\r\nb", "a\nb",
				"a\u0000", "a\u007F", "\uD800", "\uDC00", "\uD83D", "?", "\uFFFD", "\uD83D\uDE00", "%uD800", "é",
				"e\u0301");
		Map<String, String> seen = new HashMap<>();
		for (String key : keys) {
			String name = names.of(key);
			assertStorable(name);
			assertThat(seen.put(name, key)).as("the other key of %s", name).isNull();
		}
	}

	@Test
	void longKeysAreHashedAndStayApart() {
		StoredNames names = new StoredNames("app");
		String megabyte = "x".repeat(1_000_000);
		assertStorable(names.of(megabyte + "1"));
		assertThat(names.of(megabyte + "1")).startsWith("app:{xxxx").isNotEqualTo(names.of(megabyte + "2"));
		String long1 = "é".repeat(200);
		assertStorable(names.of(long1));
		assertThat(names.of(long1)).isNotEqualTo(names.of(long1 + "e"));
		// What a hashed name looks like can also be asked for
		String hashed = names.of(megabyte);
		String inside = hashed.substring(hashed.indexOf('{') + 1, hashed.length() - 1);
		assertThat(names.of(inside)).isNotEqualTo(hashed);
	}

	@Test
	void longNamespacesAreHashedAndStayApart() {
		String wide = "é".repeat(99);
		assertStorable(new StoredNames(wide + "1").of("k"));
		assertThat(new StoredNames(wide + "1").of("k")).isNotEqualTo(new StoredNames(wide + "2").of("k"));
	}

	@Test
	void randomPairsNeverCollide() {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		Map<String, String> seen = new HashMap<>();
		for (int i = 0; i < 20_000; i++) {
			String namespace = random(random, 1 + random.nextInt(4));
			String key = random(random, 1 + random.nextInt((i % 50 == 0) ? 400 : 6));
			String name = new StoredNames(namespace).of(key);
			assertStorable(name);
			String pair = namespace.length() + ":" + namespace + key;
			String before = seen.put(name, pair);
			assertThat(before == null || before.equals(pair)).as("seed %d, name %s", seed, name).isTrue();
		}
	}

	private static String random(Random random, int length) {
		String alphabet = ":{}%#u0D7Bab\r\n \u0000\uD800\uDC00é";
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < length; i++) {
			text.append(alphabet.charAt(random.nextInt(alphabet.length())));
		}
		return text.toString();
	}

	private static void assertStorable(String name) {
		assertThat(name.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(256);
		assertThat(new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)).isEqualTo(name);
		assertThat(name.chars().filter((c) -> c == '{').count()).isEqualTo(1);
		assertThat(name.chars().filter((c) -> c == '}').count()).isEqualTo(1);
		assertThat(name.chars().noneMatch(Character::isISOControl)).isTrue();
	}

}
