package org.lockspring.testing;

import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints at the end how many tests ran against which real server, so that nobody takes a
 * run in which servers were absent for a complete one.
 */
public final class TestServersListener implements TestExecutionListener {

	private final PrintStream output;

	private final TreeMap<String, Count> counts = new TreeMap<>();

	private final Set<String> finished = ConcurrentHashMap.newKeySet();

	private @Nullable TestPlan plan;

	/** Create a listener that prints where Maven shows it. */
	public TestServersListener() {
		this(System.out);
	}

	TestServersListener(PrintStream output) {
		this.output = output;
	}

	@Override
	public void testPlanExecutionStarted(TestPlan testPlan) {
		this.plan = testPlan;
	}

	@Override
	public void executionFinished(TestIdentifier test, TestExecutionResult result) {
		boolean aborted = result.getStatus() == TestExecutionResult.Status.ABORTED;
		if (test.isTest()) {
			count(test, aborted);
		}
		else if (aborted) {
			countSkipped(test);
		}
	}

	@Override
	public void executionSkipped(TestIdentifier test, String reason) {
		countSkipped(test);
	}

	/** Of a container only those methods are known that it does not generate. */
	private void countSkipped(TestIdentifier skipped) {
		TestPlan current = this.plan;
		if (skipped.isTest() || current == null) {
			count(skipped, true);
			return;
		}
		Set<TestIdentifier> inside = current.getDescendants(skipped);
		inside.stream()
			.filter((test) -> test.isTest() && !this.finished.contains(test.getUniqueId()))
			.forEach((test) -> count(test, true));
	}

	private synchronized void count(TestIdentifier test, boolean skipped) {
		this.finished.add(test.getUniqueId());
		for (String server : servers(testClass(test))) {
			Count count = this.counts.computeIfAbsent(server, (name) -> new Count());
			count.ran += skipped ? 0 : 1;
			count.skipped += skipped ? 1 : 0;
		}
	}

	private static @Nullable Class<?> testClass(TestIdentifier test) {
		Object source = test.getSource().orElse(null);
		if (source instanceof MethodSource method) {
			return method.getJavaClass();
		}
		return (source instanceof ClassSource type) ? type.getJavaClass() : null;
	}

	private static List<String> servers(@Nullable Class<?> testClass) {
		for (Class<?> type = testClass; type != null; type = type.getEnclosingClass()) {
			UsesServer annotation = type.getAnnotation(UsesServer.class);
			if (annotation != null) {
				return List.of(annotation.value());
			}
		}
		return List.of("none");
	}

	@Override
	public synchronized void testPlanExecutionFinished(TestPlan testPlan) {
		this.output.println(report());
		this.counts.clear();
	}

	private String report() {
		StringBuilder line = new StringBuilder("Tests against real servers: ");
		Count none = this.counts.remove("none");
		this.counts.forEach((server, count) -> line.append((server + " " + TestServers.version(server)).trim())
			.append(": ")
			.append(count)
			.append(", "));
		return line.append("none: ").append((none != null) ? none : "0").toString();
	}

	private static final class Count {

		private int ran;

		private int skipped;

		@Override
		public String toString() {
			return this.ran + ((this.skipped > 0) ? " (skipped " + this.skipped + ")" : "");
		}

	}

}
