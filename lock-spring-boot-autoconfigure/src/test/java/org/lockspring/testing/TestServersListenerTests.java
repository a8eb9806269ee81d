package org.lockspring.testing;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import static org.assertj.core.api.Assertions.assertThat;

class TestServersListenerTests {

	private static boolean wanted;

	@Test
	void countsTestsByServerAndTellsWhatWasSkipped() {
		TestServers.started("sample-db", "1.2");
		assertThat(run(WithServers.class, SubclassOfWithServers.class, WithoutServer.class, DisabledClass.class,
				AbortedClass.class, Several.class))
			.isEqualTo("Tests against real servers: absent-db: 0 (skipped 3), sample-db 1.2: 9 (skipped 2), "
					+ "second-db: 1, none: 1");
	}

	@BeforeEach
	void want() {
		wanted = true;
	}

	@AfterEach
	void doNotWant() {
		wanted = false;
	}

	static boolean isWanted() {
		return wanted;
	}

	private static String run(Class<?>... testClasses) {
		ByteArrayOutputStream output = new ByteArrayOutputStream();
		LauncherFactory.create(LauncherConfig.builder().enableTestExecutionListenerAutoRegistration(false).build())
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(Arrays.stream(testClasses).map(DiscoverySelectors::selectClass).toList())
				.build(), new TestServersListener(new PrintStream(output, true, StandardCharsets.UTF_8)));
		return output.toString(StandardCharsets.UTF_8).strip();
	}

	@Sample
	@UsesServer("sample-db")
	static class WithServers {

		@Test
		void one() {
		}

		@ParameterizedTest
		@ValueSource(ints = { 1, 2 })
		void two(int number) {
		}

		@Test
		void aborted() {
			Assumptions.abort();
		}

		@Nested
		class Inside {

			@Test
			void one() {
			}

		}

	}

	@Sample
	static class SubclassOfWithServers extends WithServers {

	}

	@Sample
	static class WithoutServer {

		@Test
		void one() {
		}

	}

	@Sample
	@UsesServer("absent-db")
	@Disabled
	static class DisabledClass {

		@Test
		void one() {
		}

		@Test
		void two() {
		}

	}

	@Sample
	@UsesServer("absent-db")
	static class AbortedClass {

		@BeforeAll
		static void abort() {
			Assumptions.abort();
		}

		@Test
		void one() {
		}

	}

	@Sample
	@UsesServer({ "sample-db", "second-db" })
	static class Several {

		@Test
		void one() {
		}

	}

	/**
	 * The build passes over nested classes, unless asked for its own choice of classes.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@EnabledIf("org.lockspring.testing.TestServersListenerTests#isWanted")
	@interface Sample {

	}

}
