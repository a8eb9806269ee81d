package org.lockspring.faults.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.lockspring.testing.SteppedClock;
import org.lockspring.testing.TestJvm;

/**
 * A worker as the campaign has it in hand.
 */
public final class WorkerProcess implements AutoCloseable {

	private static final List<String> OPTIONS = List.of("-Xmx160m", "-XX:+UseSerialGC", "-Xss512k");

	private final String name;

	private final WorkerFiles files;

	private final List<String> arguments;

	private final @Nullable SteppedClock clock = SteppedClock.isAvailable() ? new SteppedClock() : null;

	private TestJvm jvm;

	WorkerProcess(String name, WorkerFiles files, Map<String, String> properties) {
		this.name = name;
		this.files = files;
		this.arguments = new ArrayList<>();
		this.arguments.add("--faults.worker=" + name);
		this.arguments.add("--faults.directory=" + files.directory());
		properties.forEach((key, value) -> this.arguments.add("--" + key + "=" + value));
		this.jvm = launch();
	}

	private TestJvm launch() {
		this.files.forget(this.name);
		return TestJvm.start(this.clock, OPTIONS, WorkerApplication.class, this.arguments);
	}

	/** Stop all of its threads. */
	public void pause() {
		this.jvm.pause();
	}

	/** Let it go on. */
	public void resume() {
		this.jvm.resume();
	}

	/** Kill it with signal 9. */
	public void kill() {
		this.jvm.close();
	}

	/** Start it again, if it was killed; it then looks up what to do. */
	public void restart() {
		if (!this.jvm.isAlive()) {
			this.jvm = launch();
		}
	}

	/** Have it tell what its threads do. */
	void dumpThreads() {
		if (this.jvm.isAlive()) {
			this.jvm.dumpThreads();
		}
	}

	/**
	 * Set its wall clock.
	 * @param offset how far off it is from now on
	 */
	public void step(Duration offset) {
		if (this.clock != null) {
			this.clock.step(offset);
		}
	}

	String state() {
		if (!this.jvm.isAlive()) {
			throw new IllegalStateException("Worker " + this.name + " has ended: " + this.jvm.output());
		}
		return this.files.state(this.name);
	}

	String output() {
		return this.jvm.output();
	}

	@Override
	public void close() {
		this.jvm.close();
	}

}
