package org.lockspring.core;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OwnerIds}.
 */
class OwnerIdsTests {

	private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE);

	private final OwnerIds ids = new OwnerIds(this.clock::get);

	@Test
	void differForAllThreads() {
		Set<String> seen = ConcurrentHashMap.newKeySet();
		IntStream.range(0, 100_000).parallel().forEach((i) -> {
			if (i % 1000 == 0) {
				this.clock.addAndGet(30_000_000);
			}
			assertThat(seen.add(this.ids.next())).isTrue();
		});
		assertThat(seen).hasSize(100_000).allMatch((id) -> id.length() == 36);
	}

	@Test
	void drawsAnotherAfterATenthOfASecond() {
		String before = this.ids.next();
		this.clock.addAndGet(100_000_000);
		assertThat(start(this.ids.next())).isNotEqualTo(start(before));
	}

	@Test
	void drawsAnotherIfTheClockIsAnother() {
		String before = this.ids.next();
		this.clock.addAndGet(-1);
		assertThat(start(this.ids.next())).isNotEqualTo(start(before));
	}

	@Test
	void drawsAnotherOnRequest() {
		String before = this.ids.next();
		this.ids.renew();
		assertThat(start(this.ids.next())).isNotEqualTo(start(before));
	}

	@Test
	void twoProcessesDiffer() {
		assertThat(start(new OwnerIds(this.clock::get).next())).isNotEqualTo(start(this.ids.next()));
	}

	/** The half that is not counted. */
	private static String start(String id) {
		return id.substring(0, 18);
	}

}
