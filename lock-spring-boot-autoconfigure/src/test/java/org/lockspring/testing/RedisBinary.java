package org.lockspring.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/**
 * Which {@code redis-server} to run: the one that the system property
 * {@code test.redis-server} names ({@code embedded} for that of the embedded-redis jar),
 * else the one on the PATH, else the jar's.
 *
 * @param path the executable
 * @param origin where it is from
 */
record RedisBinary(String path, String origin) {

	private static @Nullable RedisBinary found;

	static synchronized RedisBinary get() {
		RedisBinary binary = found;
		if (binary == null) {
			binary = find(System.getProperty("test.redis-server", ""));
			found = binary;
		}
		return binary;
	}

	private static RedisBinary find(String wanted) {
		if (!wanted.isEmpty() && !wanted.equals("embedded")) {
			return new RedisBinary(wanted, "process");
		}
		Path onPath = wanted.isEmpty() ? ServerProcess.findOnPath("redis-server") : null;
		if (onPath != null) {
			return new RedisBinary(onPath.toString(), "process");
		}
		try {
			Path directory = ServerProcess.newDirectory("embedded-redis");
			return new RedisBinary(
					ExecutableProvider.newJarResourceProvider(directory.toFile()).get().getAbsolutePath(),
					"process from embedded-redis");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
