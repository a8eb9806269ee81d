package org.lockspring.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of the benchmarks in a JVM of its own. It talks by lines.
 */
final class Jvm implements AutoCloseable {

	/** Marks the lines that are meant for the other side. */
	private static final String MARK = "benchmark: ";

	private final Process process;

	private final BufferedReader lines;

	private Jvm(Process process) {
		this.process = process;
		this.lines = process.inputReader(StandardCharsets.UTF_8);
	}

	static Jvm start(Class<?> program, Object... arguments) {
		return start(System.getProperty("java.class.path"), program, arguments);
	}

	static Jvm start(String classPath, Class<?> program, Object... arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xms256m", "-Xmx512m",
						Warmup.argument(), "-cp", classPath, program.getName()));
		for (Object argument : arguments) {
			command.add(argument.toString());
		}
		try {
			return new Jvm(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** For programs: tell the other side. */
	static void tell(String line) {
		System.out.println(MARK + line);
	}

	/** For programs: wait for the other side. */
	static void awaitInput() {
		try {
			if (System.in.read() < 0) {
				throw new IllegalStateException("The benchmark is gone");
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait for what the program tells.
	 */
	String await() {
		try {
			for (String line = this.lines.readLine(); line != null; line = this.lines.readLine()) {
				if (line.startsWith(MARK)) {
					return line.substring(MARK.length());
				}
				System.out.println(line);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		throw new IllegalStateException("The program has ended");
	}

	/**
	 * Wait for numbers that the program tells.
	 */
	double[] awaitNumbers() {
		String[] words = await().split(" ");
		double[] numbers = new double[words.length];
		for (int i = 0; i < words.length; i++) {
			numbers[i] = Double.parseDouble(words[i]);
		}
		return numbers;
	}

	void go() {
		try {
			this.process.getOutputStream().write('\n');
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Kill with signal 9, and wait for the end. */
	void kill() {
		this.process.destroyForcibly();
		try {
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Process " + this.process.pid() + " survives");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		kill();
	}

}
