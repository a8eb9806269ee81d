package org.lockspring.faults.history;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Operations as lines of JSON: one when an operation begins, one when it has ended. Every
 * line is flushed, so that a process that is killed loses no more than the line that it
 * is writing.
 */
public final class HistoryFile implements AutoCloseable {

	private static final JsonMapper json = JsonMapper.builder().build();

	private final BufferedWriter writer;

	/**
	 * Open a file.
	 * @param file does not exist yet, nor need its directory
	 */
	public HistoryFile(Path file) {
		try {
			Files.createDirectories(file.getParent());
			this.writer = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Write what is known of an operation.
	 * @param operation replaces what was written of it before
	 */
	public void write(Operation operation) {
		String line = json.writeValueAsString(operation);
		try {
			synchronized (this) {
				this.writer.write(line);
				this.writer.newLine();
				this.writer.flush();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Read all files of a directory.
	 * @param directory holds files that end with {@code .jsonl}
	 * @return the operations, in the order of their starts
	 */
	public static List<Operation> readAll(Path directory) {
		Map<String, Operation> operations = new LinkedHashMap<>();
		try (Stream<Path> files = Files.list(directory)) {
			for (Path file : files.filter((path) -> path.toString().endsWith(".jsonl")).sorted().toList()) {
				for (String line : Files.readAllLines(file)) {
					read(line, operations);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return operations.values().stream().sorted(Comparator.comparingLong(Operation::start)).toList();
	}

	private static void read(String line, Map<String, Operation> operations) {
		try {
			Operation operation = json.readValue(line, Operation.class);
			operations.put(operation.id(), operation);
		}
		catch (JacksonException ex) {
			// The line that a killed worker was writing
		}
	}

	@Override
	public void close() {
		try {
			this.writer.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
