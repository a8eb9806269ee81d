package org.lockspring.core;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Subscriptions that wait for a lock, without a thread for each: only the first of a key
 * waits on one, in the line of the process.
 */
final class ReactiveQueue {

	private final ConcurrentMap<String, Deque<Runnable>> lines = new ConcurrentHashMap<>();

	/**
	 * Join the line of a key.
	 * @param wait started when it is first; has to call {@link #next} when it has ended
	 * @return whether it was first
	 */
	boolean join(String key, Runnable wait) {
		boolean[] first = new boolean[1];
		this.lines.compute(key, (name, line) -> {
			first[0] = (line == null);
			Deque<Runnable> joined = (line != null) ? line : new ArrayDeque<>();
			joined.add(wait);
			return joined;
		});
		if (first[0]) {
			wait.run();
		}
		return first[0];
	}

	/**
	 * Leave the line before being first.
	 * @return whether it was not too late
	 */
	boolean drop(String key, Runnable wait) {
		boolean[] dropped = new boolean[1];
		this.lines.computeIfPresent(key, (name, line) -> {
			dropped[0] = !wait.equals(line.peek()) && line.remove(wait);
			return line;
		});
		return dropped[0];
	}

	/**
	 * Let the next in line be first.
	 */
	void next(String key) {
		Runnable[] next = new Runnable[1];
		this.lines.computeIfPresent(key, (name, line) -> {
			line.remove();
			next[0] = line.peek();
			return line.isEmpty() ? null : line;
		});
		if (next[0] != null) {
			next[0].run();
		}
	}

}
