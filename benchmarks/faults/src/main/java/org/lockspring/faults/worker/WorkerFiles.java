package org.lockspring.faults.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import org.jspecify.annotations.Nullable;

/**
 * How the campaign and its workers talk: by files, which a worker finds again after it
 * was killed.
 *
 * @param directory of all workers
 */
record WorkerFiles(Path directory) {

	/** Say what all workers do; {@code null} to let them rest. */
	void assign(@Nullable Assignment assignment) {
		replace(this.directory.resolve("assignment"), (assignment != null) ? assignment.line() : "");
	}

	@Nullable Assignment assignment() {
		String line = read(this.directory.resolve("assignment"));
		return line.isBlank() ? null : Assignment.parse(line);
	}

	/** Say how a worker is. */
	void report(String worker, String state) {
		replace(this.directory.resolve(worker + ".state"), state);
	}

	String state(String worker) {
		return read(this.directory.resolve(worker + ".state"));
	}

	void forget(String worker) {
		replace(this.directory.resolve(worker + ".state"), "");
	}

	Path histories(String run) {
		return this.directory.resolve("histories").resolve(run.replace('/', '.'));
	}

	Path history(String run, String worker) {
		return histories(run).resolve(worker + "-" + ProcessHandle.current().pid() + ".jsonl");
	}

	private static String read(Path file) {
		try {
			return Files.exists(file) ? Files.readString(file) : "";
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Nobody reads half of it. */
	private static void replace(Path file, String text) {
		try {
			Path next = file.resolveSibling(file.getFileName() + ".next");
			Files.writeString(next, text);
			Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
