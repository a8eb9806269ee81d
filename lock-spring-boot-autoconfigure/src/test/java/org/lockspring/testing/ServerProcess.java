package org.lockspring.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * A server as a process of its own, in a directory of its own. Killed at the latest when
 * the JVM ends.
 */
final class ServerProcess {

	private static final Set<ServerProcess> alive = ConcurrentHashMap.newKeySet();

	private static final Set<Path> directories = ConcurrentHashMap.newKeySet();

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			alive.forEach(ServerProcess::kill);
			directories.forEach(ServerProcess::deleteDirectory);
		}, "kill-servers"));
	}

	private final Process process;

	private final Path log;

	private ServerProcess(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	/**
	 * Start a process. What it prints goes to {@code server.log} in the directory.
	 */
	static ServerProcess start(Path directory, List<String> command) {
		Path log = directory.resolve("server.log");
		try {
			Process process = new ProcessBuilder(command).directory(directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start();
			ServerProcess server = new ServerProcess(process, log);
			alive.add(server);
			Watchdog.watch(process.pid());
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Create a directory that is deleted when the JVM ends.
	 */
	static Path newDirectory(String prefix) {
		try {
			Path directory = Files.createTempDirectory(prefix);
			directories.add(directory);
			Watchdog.deleteAtTheEnd(directory);
			return directory;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static void deleteDirectory(Path directory) {
		try {
			FileSystemUtils.deleteRecursively(directory);
			directories.remove(directory);
		}
		catch (IOException ex) {
			// A process that is just ending may still write: the next try is at the JVM's
			// end
		}
	}

	static @Nullable Path findOnPath(String program) {
		for (String directory : (System.getenv("PATH") + ":/usr/sbin:/usr/local/sbin").split(File.pathSeparator)) {
			Path candidate = Path.of(directory, program);
			if (Files.isExecutable(candidate)) {
				return candidate;
			}
		}
		return null;
	}

	/**
	 * Wait until a condition holds.
	 * @return whether it does; {@code false} after the timeout, or when the process ended
	 */
	boolean await(Duration timeout, BooleanSupplier condition) {
		long start = System.nanoTime();
		while (System.nanoTime() - start < timeout.toNanos()) {
			if (condition.getAsBoolean()) {
				return true;
			}
			if (!this.process.isAlive()) {
				return false;
			}
			Pause.shortly();
		}
		return false;
	}

	long pid() {
		return this.process.pid();
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Send a signal.
	 * @param name for example {@code STOP}
	 */
	void signal(String name) {
		try {
			int exit = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid()).start().waitFor();
			if (exit != 0) {
				throw new IllegalStateException("Process " + pid() + " did not take signal " + name);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Kill with signal 9, which also ends a stopped process, and wait for the end.
	 */
	void kill() {
		this.process.destroyForcibly();
		try {
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Process " + pid() + " survives");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		if (alive.remove(this)) {
			Watchdog.forget(pid());
		}
	}

	String log() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			return "";
		}
	}

}
