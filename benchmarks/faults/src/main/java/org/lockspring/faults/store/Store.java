package org.lockspring.faults.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.lockspring.testing.FaultProxy;

/**
 * The servers that keep the locks, behind proxies. Not every store can suffer everything;
 * what it cannot throws {@link UnsupportedOperationException}.
 */
public interface Store extends AutoCloseable {

	/**
	 * Return what an application sets to use it.
	 * @param worker the number of the worker
	 * @return properties
	 */
	Map<String, String> properties(int worker);

	/**
	 * Return the ways to the servers.
	 * @return one for each worker, or one for each server where all workers have to name
	 * the same ones
	 */
	List<FaultProxy> links();

	/**
	 * Return how many servers there are.
	 * @return one or more
	 */
	default int servers() {
		return 1;
	}

	/**
	 * Stop a server with SIGSTOP.
	 * @param server which
	 */
	default void pause(int server) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Let a server go on.
	 * @param server which
	 */
	default void resume(int server) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Kill a server with signal 9.
	 * @param server which
	 */
	default void kill(int server) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Start a server that was killed.
	 * @param server which
	 * @param memory what it still knows
	 */
	default void restart(int server, Memory memory) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Let what is granted from now on not reach the standby.
	 */
	default void lag() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Kill the server, and let the standby take its place.
	 */
	default void failOver() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Step a server's wall clock.
	 * @param server which
	 * @param by how far; positive is ahead
	 */
	default void step(int server, Duration by) {
		throw new UnsupportedOperationException();
	}

	/** Set all wall clocks right. */
	default void setClocks() {
	}

	/**
	 * Send a command to a server of Redis.
	 * @param server which
	 * @param command its words
	 */
	default void command(int server, String... command) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Return the entries of locks that are there now.
	 * @param run keys that begin with it
	 * @return their names
	 */
	List<String> entries(String run);

	@Override
	void close();

	/**
	 * What a server knows after it was killed.
	 */
	enum Memory {

		/** All that it has acknowledged. */
		ALL,

		/** All but the last that it has acknowledged. */
		WITHOUT_THE_LAST,

		/** Nothing. */
		NOTHING

	}

}
