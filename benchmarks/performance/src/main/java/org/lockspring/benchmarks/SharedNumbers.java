package org.lockspring.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Numbers that several JVMs share through a file in memory: faster than any lock, so that
 * looking does not disturb what is measured.
 */
final class SharedNumbers {

	private static final int SIZE = 8;

	private static final VarHandle NUMBERS = MethodHandles.byteBufferViewVarHandle(long[].class,
			ByteOrder.nativeOrder());

	private final ByteBuffer buffer;

	SharedNumbers(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			this.buffer = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE * Long.BYTES);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	long get(int index) {
		return (long) NUMBERS.getVolatile(this.buffer, index * Long.BYTES);
	}

	void set(int index, long value) {
		NUMBERS.setVolatile(this.buffer, index * Long.BYTES, value);
	}

	long add(int index, long value) {
		return (long) NUMBERS.getAndAdd(this.buffer, index * Long.BYTES, value) + value;
	}

}
