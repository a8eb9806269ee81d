package org.lockspring.benchmarks;

import java.util.UUID;
import java.util.stream.IntStream;

import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The keys of one thread, which no other thread wants, and what its bodies do.
 */
@State(Scope.Thread)
public class Keys {

	private final String[] keys;

	private int next;

	private long expected;

	private long entered;

	private final Runnable body = () -> this.entered++;

	public Keys() {
		String thread = UUID.randomUUID().toString().substring(0, 8);
		this.keys = IntStream.range(0, 16).mapToObj((i) -> "order:" + thread + ":" + i).toArray(String[]::new);
	}

	String next() {
		this.next = (this.next + 1) % this.keys.length;
		return this.keys[this.next];
	}

	Runnable body() {
		return this.body;
	}

	/** Fail unless the body has run once more. */
	void verify() {
		this.expected++;
		Contestant.require(this.entered == this.expected, "the body did not run");
	}

}
