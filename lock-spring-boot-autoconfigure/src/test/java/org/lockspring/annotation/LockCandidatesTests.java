package org.lockspring.annotation;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which classes the start need not look at more closely.
 */
class LockCandidatesTests {

	private final LockCandidates candidates = new LockCandidates();

	@ParameterizedTest
	@ValueSource(classes = { Object.class, List.class, Plain.class, LockCandidatesTests.class })
	void classesWithoutADeclarationAreRuledOut(Class<?> type) {
		assertThat(this.candidates.contains(type)).isFalse();
		assertThat(this.candidates.contains(type)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(
			classes = { OnPrivateMethod.class, Extending.class, Implementing.class, Repeating.class, Composed.class })
	void classesThatMayInheritADeclarationAreNot(Class<?> type) {
		assertThat(this.candidates.contains(type)).isTrue();
		assertThat(this.candidates.contains(type)).isTrue();
	}

	@Test
	void whatASubclassDeclaresIsNothingToItsSuperclass() {
		assertThat(this.candidates.contains(Annotated.class)).isTrue();
		assertThat(this.candidates.contains(Plain.class)).isFalse();
	}

	static class Plain {

		@Deprecated
		void run() {
		}

	}

	@DistributedLock("x")
	static class Annotated extends Plain {

	}

	static class OnPrivateMethod {

		@DistributedLock("x")
		private void run() {
		}

	}

	static class Extending extends OnPrivateMethod {

	}

	interface Api {

		@DistributedLock("x")
		void run();

	}

	interface WiderApi extends Api {

	}

	abstract static class Implementing implements WiderApi {

	}

	static class Repeating {

		@DistributedLock("x")
		@DistributedLock("y")
		void run() {
		}

	}

	static class Composed {

		@LockLookupTests.NightlyJob(key = "x")
		void run() {
		}

	}

}
