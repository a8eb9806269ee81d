package org.lockspring;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.discovery.MethodSelector;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.lockspring.DefectiveBackend.Defect;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import static org.assertj.core.api.Assertions.assertThat;

/** A test that cannot fail is a defect: this breaks a backend in each way once. */
class LockBackendContractTests {

	private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());

	@BeforeEach
	void silence() {
		this.logging.setLogLevel("org.lockspring", LogLevel.ERROR);
	}

	@AfterEach
	void endSilence() {
		DefectiveContract.defect = null;
		this.logging.setLogLevel("org.lockspring", null);
	}

	@ParameterizedTest
	@EnumSource
	void everyDefectIsFound(Defect defect) {
		DefectiveContract.defect = defect;
		TestExecutionSummary summary = run(defect);
		StringWriter failures = new StringWriter();
		summary.printFailuresTo(new PrintWriter(failures, true));
		assertThat(summary.getTestsFoundCount()).isPositive();
		if (defect == Defect.NONE) {
			assertThat(failures.toString()).isEmpty();
			assertThat(summary.getTestsSucceededCount()).isEqualTo(summary.getTestsFoundCount());
		}
		else {
			assertThat(summary.getFailures()).isNotEmpty()
				.allSatisfy((failure) -> assertThat(failure.getException()).isInstanceOfAny(AssertionError.class,
						ConditionTimeoutException.class, ExecutionException.class));
		}
	}

	private static TestExecutionSummary run(Defect defect) {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors((defect == Defect.NONE) ? DiscoverySelectors.selectClass(DefectiveContract.class)
					: method(defect.caughtBy()))
			.build();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create(LauncherConfig.builder().enableTestExecutionListenerAutoRegistration(false).build())
			.execute(request, listener);
		return listener.getSummary();
	}

	private static MethodSelector method(String name) {
		return Stream.of(LockBackendContract.class.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.map((method) -> DiscoverySelectors.selectMethod(DefectiveContract.class, name,
					String.join(",", Arrays.stream(method.getParameterTypes()).map(Class::getName).toList())))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * The build passes over nested classes, unless asked for its own choice of classes.
	 */
	@EnabledIf("isWanted")
	static class DefectiveContract extends LockBackendContract {

		private static @Nullable Defect defect;

		private final LockBackend backend = new DefectiveBackend(Objects.requireNonNull(defect));

		static boolean isWanted() {
			return defect != null;
		}

		@Override
		protected LockBackend backend() {
			return this.backend;
		}

		@Override
		protected Duration expiryMargin() {
			return Duration.ofMillis(30);
		}

	}

}
