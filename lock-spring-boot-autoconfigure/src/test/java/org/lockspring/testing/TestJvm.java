package org.lockspring.testing;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A class of the tests as a program in a JVM of its own, with the class path of this one.
 * Killed when it is closed, at the latest when this JVM ends.
 */
public final class TestJvm implements AutoCloseable {

	private static final String CLASS_PATH = System.getProperty("java.class.path");

	private final Path directory = ServerProcess.newDirectory("jvm");

	private final ServerProcess process;

	private TestJvm(@Nullable SteppedClock clock, List<String> options, String classPath, Class<?> program,
			List<String> arguments) {
		List<String> command = new ArrayList<>((clock != null) ? clock.command() : List.of());
		// Boot looks for a compose file wherever its support is there, except in tests
		command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Dspring.docker.compose.enabled=false"));
		command.addAll(options);
		command.addAll(List.of("-cp", classPath, program.getName()));
		command.addAll(arguments);
		this.process = ServerProcess.start(this.directory, command);
	}

	/**
	 * Start a program.
	 * @param program has a {@code main} method
	 * @param arguments what it gets
	 * @return a JVM that has just been started
	 */
	public static TestJvm start(Class<?> program, String... arguments) {
		return new TestJvm(null, List.of(), CLASS_PATH, program, List.of(arguments));
	}

	/**
	 * Start a program with some of the libraries only.
	 * @param libraries which jars it has, by the names of their files
	 * @param program has a {@code main} method
	 * @param arguments what it gets
	 * @return a JVM that has just been started
	 */
	public static TestJvm start(Predicate<String> libraries, Class<?> program, String... arguments) {
		String classPath = Arrays.stream(CLASS_PATH.split(File.pathSeparator))
			.filter((entry) -> !entry.endsWith(".jar") || libraries.test(Path.of(entry).getFileName().toString()))
			.collect(Collectors.joining(File.pathSeparator));
		return new TestJvm(null, List.of(), classPath, program, List.of(arguments));
	}

	/**
	 * Start a program with options, and with a clock of its own if it shall have one.
	 * @param clock its wall clock; {@code null} for the machine's
	 * @param options options of the JVM, for example {@code -Xmx64m}
	 * @param program has a {@code main} method
	 * @param arguments what it gets
	 * @return a JVM that has just been started
	 */
	public static TestJvm start(@Nullable SteppedClock clock, List<String> options, Class<?> program,
			List<String> arguments) {
		return new TestJvm(clock, options, CLASS_PATH, program, arguments);
	}

	/**
	 * Wait until a condition holds.
	 * @param timeout the longest wait
	 * @param condition asked again and again
	 * @throws IllegalStateException with the output if it does not, or the program ended
	 */
	public void await(Duration timeout, BooleanSupplier condition) {
		if (!this.process.await(timeout, condition)) {
			throw new IllegalStateException("The program does not get there: " + output());
		}
	}

	/**
	 * Wait until the program has printed something.
	 * @param text what it prints
	 */
	public void awaitOutput(String text) {
		await(Duration.ofSeconds(60), () -> output().contains(text));
	}

	/**
	 * Return what the program has printed so far, to both of its streams.
	 * @return all of the output
	 */
	public String output() {
		return this.process.log();
	}

	/** Stop all of its threads with SIGSTOP: connections stay open. */
	public void pause() {
		this.process.signal("STOP");
	}

	/** Let it go on after {@link #pause()}. */
	public void resume() {
		this.process.signal("CONT");
	}

	/** Have it add to its output what all of its threads do. */
	public void dumpThreads() {
		this.process.signal("QUIT");
	}

	/** Ask the program to end, with SIGTERM. */
	public void terminate() {
		this.process.signal("TERM");
	}

	/**
	 * Wait for the end of the program.
	 * @param timeout the longest wait
	 * @throws IllegalStateException with the output if it still runs
	 */
	public void awaitEnd(Duration timeout) {
		this.process.await(timeout, () -> !isAlive());
		if (isAlive()) {
			throw new IllegalStateException("The program still runs: " + output());
		}
	}

	public boolean isAlive() {
		return this.process.isAlive();
	}

	/** Kill with signal 9 and wait for the end. */
	public void kill() {
		this.process.kill();
	}

	@Override
	public void close() {
		kill();
		ServerProcess.deleteDirectory(this.directory);
	}

}
