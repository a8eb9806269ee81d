package org.lockspring.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The wall clock of one server, which can be stepped while it runs. A few lines of C are
 * compiled and loaded before the server; available where there is a C compiler, on Linux.
 */
public final class SteppedClock {

	private static final @Nullable Path LIBRARY = compile();

	private final Path offset = ServerProcess.newDirectory("clock").resolve("offset");

	public SteppedClock() {
		step(Duration.ZERO);
	}

	private static @Nullable Path compile() {
		Path directory = ServerProcess.newDirectory("clock");
		Path source = directory.resolve("stepped-clock.c");
		Path library = directory.resolve("stepped-clock.so");
		try (InputStream text = SteppedClock.class.getResourceAsStream("stepped-clock.c")) {
			Files.copy(text, source);
			Process compiler = new ProcessBuilder("cc", "-shared", "-fPIC", "-O1", "-o", library.toString(),
					source.toString())
				.inheritIO()
				.start();
			return (compiler.waitFor(1, TimeUnit.MINUTES) && compiler.exitValue() == 0) ? library : null;
		}
		catch (IOException ex) {
			return null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

	/**
	 * Return whether clocks can be stepped here.
	 * @return {@code false} without a C compiler
	 */
	public static boolean isAvailable() {
		return LIBRARY != null;
	}

	/**
	 * Set how far the clock is off the true time.
	 * @param offset positive is ahead
	 */
	public void step(Duration offset) {
		ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
		bytes.putLong(0, TimeUnit.MICROSECONDS.convert(offset));
		try {
			if (!Files.exists(this.offset)) {
				Files.createFile(this.offset);
			}
			// In place: the file is mapped
			try (SeekableByteChannel channel = Files.newByteChannel(this.offset, StandardOpenOption.WRITE)) {
				channel.write(bytes);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	List<String> command() {
		return List.of("env", "LD_PRELOAD=" + LIBRARY, "STEPPED_CLOCK=" + this.offset);
	}

}
