package org.lockspring.annotation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.lockspring.LockMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The first example of the README.
 */
class ReadmeTests {

	@Test
	void firstExampleStarts() {
		Locks.application(OrderService.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void firstExampleIsTheOneOfTheReadme() throws IOException {
		List<String> readme = Files.readAllLines(Path.of("../README.md"))
			.stream()
			.map(String::strip)
			.filter((line) -> line.startsWith("@DistributedLock("))
			.toList();
		List<DistributedLock> ours = Arrays.stream(OrderService.class.getDeclaredMethods())
			.map((method) -> method.getAnnotation(DistributedLock.class))
			.toList();
		assertThat(readme).hasSameSizeAs(ours);
		for (DistributedLock lock : ours) {
			assertThat(readme).contains(text(lock));
		}
	}

	private static String text(DistributedLock lock) {
		StringBuilder text = new StringBuilder("@DistributedLock(key = \"" + lock.key() + "\"");
		if (lock.mode() != LockMode.EFFICIENCY) {
			text.append(", mode = LockMode.").append(lock.mode());
		}
		append(text, "ttl", lock.ttl());
		append(text, "waitTime", lock.waitTime());
		append(text, "minHold", lock.minHold());
		if (lock.onBusy() != OnBusy.THROW) {
			text.append(", onBusy = OnBusy.").append(lock.onBusy());
		}
		return text.append(")").toString();
	}

	private static void append(StringBuilder text, String attribute, String value) {
		if (!value.isEmpty()) {
			text.append(", ").append(attribute).append(" = \"").append(value).append("\"");
		}
	}

	static class OrderService {

		@DistributedLock(key = "nightly-report", ttl = "2m", minHold = "1m", onBusy = OnBusy.SKIP)
		public void sendReport() {
		}

		@DistributedLock(key = "order:#{#id}", mode = LockMode.CORRECTNESS, waitTime = "5s")
		public void ship(long id) {
		}

	}

}
