package org.lockspring.redis;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * Visits every state of a model once, the nearest first, until a property is violated or
 * no state is left.
 */
final class RedlockChecker implements RedlockModel.Steps {

	private final RedlockModel model;

	private final RedlockState state;

	private final RedlockState next;

	private final long[] words = new long[2];

	private long[] low = new long[1 << 16];

	private long[] high = new long[1 << 16];

	private int[] from = new int[1 << 16];

	private int[] table = new int[1 << 18];

	private int size;

	private int current = -1;

	private @Nullable String violation;

	RedlockChecker(RedlockModel model) {
		this.model = model;
		this.state = model.emptyState();
		this.next = model.emptyState();
	}

	/**
	 * Search.
	 * @return the violation with the steps that lead to it; {@code null} if there is none
	 */
	@Nullable String search() {
		this.model.initialStates().forEach((initial) -> taken(initial, "the beginning"));
		while (this.violation == null && this.current + 1 < this.size) {
			this.current++;
			this.state.unpack(this.low[this.current], this.high[this.current]);
			this.model.forEachStep(this.state, this.next, this);
		}
		return this.violation;
	}

	/**
	 * Return how many states were seen.
	 */
	int states() {
		return this.size;
	}

	@Override
	public void taken(RedlockState to, String what) {
		if (this.violation != null) {
			return;
		}
		to.pack(this.words);
		int mask = this.table.length - 1;
		int slot = hash(this.words[0], this.words[1]) & mask;
		for (int index = this.table[slot]; index != 0; index = this.table[slot]) {
			if (this.low[index - 1] == this.words[0] && this.high[index - 1] == this.words[1]) {
				return;
			}
			slot = (slot + 1) & mask;
		}
		add(slot);
	}

	private void add(int slot) {
		if (this.size == this.low.length) {
			this.low = Arrays.copyOf(this.low, 2 * this.size);
			this.high = Arrays.copyOf(this.high, 2 * this.size);
			this.from = Arrays.copyOf(this.from, 2 * this.size);
		}
		this.low[this.size] = this.words[0];
		this.high[this.size] = this.words[1];
		this.from[this.size] = this.current;
		this.size++;
		this.table[slot] = this.size;
		if (this.size > this.table.length / 2) {
			growTable();
		}
	}

	private void growTable() {
		this.table = new int[2 * this.table.length];
		int mask = this.table.length - 1;
		for (int i = 0; i < this.size; i++) {
			int slot = hash(this.low[i], this.high[i]) & mask;
			while (this.table[slot] != 0) {
				slot = (slot + 1) & mask;
			}
			this.table[slot] = i + 1;
		}
	}

	private static int hash(long low, long high) {
		long mixed = (low ^ Long.rotateLeft(high, 31)) * 0x9E3779B97F4A7C15L;
		mixed = (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
		return (int) (mixed >>> 32);
	}

	@Override
	public void violated(RedlockState in, String what) {
		if (this.violation != null) {
			return;
		}
		Deque<String> path = new ArrayDeque<>();
		path.addFirst(in.toString());
		RedlockState seen = this.model.emptyState();
		for (int i = this.current; i >= 0; i = this.from[i]) {
			seen.unpack(this.low[i], this.high[i]);
			path.addFirst(seen.toString());
		}
		this.violation = "%s, in %d steps:%n%s".formatted(what, path.size() - 1,
				String.join(System.lineSeparator(), path));
	}

}
