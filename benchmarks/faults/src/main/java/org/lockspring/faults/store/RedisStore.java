package org.lockspring.faults.store;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.lockspring.faults.worker.Workers;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.SteppedClock;
import org.springframework.util.FileSystemUtils;

/**
 * One Redis with an append-only file, and for a failover a second one.
 */
final class RedisStore implements Store {

	private static final String[] CONFIGURATION = { "appendonly yes", "appendfsync everysec",
			"auto-aof-rewrite-percentage 0", "repl-diskless-sync-delay 0" };

	private final StoreClock clock = new StoreClock();

	private RedisServer server = start(this.clock.clock());

	private @Nullable Standby standby;

	private final List<FaultProxy> links = IntStream.range(0, Workers.SIZE)
		.mapToObj((worker) -> FaultProxy.to(this.server))
		.toList();

	static RedisServer start(@Nullable SteppedClock clock) {
		return (clock != null) ? RedisServer.start(clock, CONFIGURATION) : RedisServer.start(CONFIGURATION);
	}

	@Override
	public Map<String, String> properties(int worker) {
		return Map.of("spring.data.redis.host", "127.0.0.1", "spring.data.redis.port",
				String.valueOf(this.links.get(worker).port()));
	}

	@Override
	public List<FaultProxy> links() {
		return this.links;
	}

	@Override
	public void pause(int index) {
		this.server.pause();
	}

	@Override
	public void resume(int index) {
		this.server.resume();
	}

	@Override
	public void kill(int index) {
		this.server.kill();
	}

	@Override
	public void restart(int index, Memory memory) {
		forget(this.server, memory);
		this.server.restart();
	}

	static void forget(RedisServer server, Memory memory) {
		Path files = server.directory().resolve("appendonlydir");
		try {
			if (memory == Memory.NOTHING) {
				FileSystemUtils.deleteRecursively(files);
			}
			else if (memory == Memory.WITHOUT_THE_LAST) {
				truncate(files);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** As much as a second without fsync may cost. */
	private static void truncate(Path files) throws IOException {
		try (Stream<Path> all = Files.list(files)) {
			for (Path file : all.filter((path) -> path.toString().endsWith(".incr.aof")).toList()) {
				try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
					open.setLength(Math.max(0, open.length() - 20_000));
				}
			}
		}
	}

	@Override
	public void lag() {
		Standby next = this.standby;
		if (next == null) {
			next = new Standby(this.server, this.clock.clock());
			this.standby = next;
		}
		next.lag();
	}

	@Override
	public void failOver() {
		Standby next = this.standby;
		if (next != null) {
			this.server.close();
			this.server = next.promote();
			this.standby = null;
			this.links.forEach((link) -> link.retarget(this.server.port()));
			this.links.forEach(FaultProxy::cutAll);
		}
	}

	@Override
	public void step(int index, Duration by) {
		this.clock.step(by);
	}

	@Override
	public void setClocks() {
		this.clock.set(Duration.ZERO);
	}

	@Override
	public void command(int index, String... command) {
		this.server.command(command);
	}

	@Override
	public List<String> entries(String run) {
		return entries(this.server, run);
	}

	static List<String> entries(RedisServer server, String run) {
		List<String> entries = new ArrayList<>();
		if (server.command("KEYS", "*" + run + "/*") instanceof Collection<?> keys) {
			keys.forEach((key) -> entries.add(String.valueOf(key)));
		}
		entries.removeIf((key) -> key.endsWith(":fence"));
		return entries;
	}

	@Override
	public void close() {
		this.links.forEach(FaultProxy::close);
		Standby unused = this.standby;
		if (unused != null) {
			unused.close();
		}
		this.server.close();
	}

}
