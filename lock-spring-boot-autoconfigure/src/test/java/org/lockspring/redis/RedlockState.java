package org.lockspring.redis;

import java.util.Arrays;

/**
 * A state of the Redlock model: what each node keeps, what each attempt has learned.
 * Nodes are alike, and so are attempts: two states that differ only in their order are
 * packed into the same two words.
 */
final class RedlockState {

	static final int IDLE = 0;

	/** The first requests are on their way, or answered. */
	static final int ASKING = 1;

	/** The token is chosen, and the second requests are on their way. */
	static final int RAISING = 2;

	/** Decided: the caller believes that it holds the lock. */
	static final int HELD = 3;

	static final int FRESH = 0;

	/** It began before a node forgot. */
	static final int AGED = 1;

	/** Its validity has passed: it decides nothing any more. */
	static final int OVER = 2;

	final int nodes;

	final int attempts;

	/** Per node. */
	final int[] counter;

	/** Per node: whose entry it has, counted from 1; 0 is nobody's. */
	final int[] owner;

	/** Per node: the value that its entry was granted. */
	final int[] value;

	/** Per node: whether it has forgotten and grants nothing yet. */
	final boolean[] quarantined;

	/** Per attempt. */
	final int[] phase;

	/** Per attempt: the largest token that was decided before it began. */
	final int[] before;

	/** Per attempt: {@link #FRESH}, {@link #AGED} or {@link #OVER}. */
	final int[] age;

	/** Per attempt and node: how often the first request was executed. */
	final int[][] executed;

	/** Per attempt and node: the answer that can be, or was, received; 0 is none. */
	final int[][] granted;

	/** Per attempt and node: whether it counts for the token. */
	final boolean[][] counts;

	/** How often a node forgot. */
	int forgotten;

	private final int valueBits;

	private final int largest;

	RedlockState(int nodes, int attempts, int valueBits) {
		this.nodes = nodes;
		this.attempts = attempts;
		this.valueBits = valueBits;
		this.largest = (1 << valueBits) - 1;
		this.counter = new int[nodes];
		this.owner = new int[nodes];
		this.value = new int[nodes];
		this.quarantined = new boolean[nodes];
		this.phase = new int[attempts];
		this.before = new int[attempts];
		this.age = new int[attempts];
		this.executed = new int[attempts][nodes];
		this.granted = new int[attempts][nodes];
		this.counts = new boolean[attempts][nodes];
	}

	void copyFrom(RedlockState other) {
		System.arraycopy(other.counter, 0, this.counter, 0, this.nodes);
		System.arraycopy(other.owner, 0, this.owner, 0, this.nodes);
		System.arraycopy(other.value, 0, this.value, 0, this.nodes);
		System.arraycopy(other.quarantined, 0, this.quarantined, 0, this.nodes);
		System.arraycopy(other.phase, 0, this.phase, 0, this.attempts);
		System.arraycopy(other.before, 0, this.before, 0, this.attempts);
		System.arraycopy(other.age, 0, this.age, 0, this.attempts);
		for (int a = 0; a < this.attempts; a++) {
			System.arraycopy(other.executed[a], 0, this.executed[a], 0, this.nodes);
			System.arraycopy(other.granted[a], 0, this.granted[a], 0, this.nodes);
			System.arraycopy(other.counts[a], 0, this.counts[a], 0, this.nodes);
		}
		this.forgotten = other.forgotten;
	}

	/**
	 * The largest value granted to an attempt by the nodes it listens to.
	 */
	int token(int attempt) {
		int largest = 0;
		for (int granted : this.granted[attempt]) {
			largest = Math.max(largest, granted);
		}
		return largest;
	}

	int largestDecided() {
		int largest = 0;
		for (int a = 0; a < this.attempts; a++) {
			if (this.phase[a] == HELD) {
				largest = Math.max(largest, token(a));
			}
		}
		return largest;
	}

	int largestKnown() {
		int largest = largestDecided();
		for (int counter : this.counter) {
			largest = Math.max(largest, counter);
		}
		return largest;
	}

	/**
	 * Pack into two words, the same for all orders of nodes and of attempts.
	 */
	void pack(long[] words) {
		words[0] = -1;
		words[1] = -1;
		int[] order = new int[this.attempts];
		permute(order, 0, 0, words);
	}

	private void permute(int[] order, int filled, int used, long[] least) {
		if (filled == this.attempts) {
			packInOrder(order, least);
			return;
		}
		for (int a = 0; a < this.attempts; a++) {
			if ((used & 1 << a) == 0) {
				order[filled] = a;
				permute(order, filled + 1, used | 1 << a, least);
			}
		}
	}

	private void packInOrder(int[] order, long[] least) {
		long[] columns = new long[this.nodes];
		for (int i = 0; i < this.nodes; i++) {
			columns[i] = column(i, order);
		}
		Arrays.sort(columns);
		Bits bits = new Bits();
		for (int a : order) {
			bits.add(this.phase[a], 2);
			bits.add(this.before[a], this.valueBits);
			bits.add(this.age[a], 2);
		}
		bits.add(this.forgotten, 2);
		for (long column : columns) {
			bits.add(column, columnBits());
		}
		int compared = Long.compareUnsigned(bits.high, least[1]);
		if (compared < 0 || (compared == 0 && Long.compareUnsigned(bits.low, least[0]) < 0)) {
			least[0] = bits.low;
			least[1] = bits.high;
		}
	}

	private int columnBits() {
		return 2 * this.valueBits + 3 + this.attempts * (this.valueBits + 3);
	}

	private long column(int node, int[] order) {
		long column = 0;
		int owner = 0;
		for (int position = 0; position < order.length; position++) {
			int a = order[position];
			column = column << this.valueBits + 3 | (long) check(this.granted[a][node]) << 3
					| (long) this.executed[a][node] << 1 | (this.counts[a][node] ? 1 : 0);
			owner = (this.owner[node] == a + 1) ? position + 1 : owner;
		}
		column = column << this.valueBits | check(this.counter[node]);
		column = column << this.valueBits | check(this.value[node]);
		return column << 3 | (long) owner << 1 | (this.quarantined[node] ? 1 : 0);
	}

	private int check(int value) {
		if (value > this.largest) {
			throw new IllegalStateException("The model needs more bits for " + value);
		}
		return value;
	}

	/**
	 * The opposite of {@link #pack}.
	 */
	void unpack(long low, long high) {
		Bits bits = new Bits();
		bits.low = low;
		bits.high = high;
		for (int i = this.nodes - 1; i >= 0; i--) {
			long column = bits.take(columnBits());
			this.quarantined[i] = (column & 1) == 1;
			this.owner[i] = (int) (column >> 1 & 3);
			this.value[i] = (int) (column >> 3 & this.largest);
			this.counter[i] = (int) (column >> 3 + this.valueBits & this.largest);
			column >>= 3 + 2 * this.valueBits;
			for (int a = this.attempts - 1; a >= 0; a--) {
				this.counts[a][i] = (column & 1) == 1;
				this.executed[a][i] = (int) (column >> 1 & 3);
				this.granted[a][i] = (int) (column >> 3 & this.largest);
				column >>= 3 + this.valueBits;
			}
		}
		this.forgotten = (int) bits.take(2);
		for (int a = this.attempts - 1; a >= 0; a--) {
			this.age[a] = (int) bits.take(2);
			this.before[a] = (int) bits.take(this.valueBits);
			this.phase[a] = (int) bits.take(2);
		}
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < this.nodes; i++) {
			text.append(" node(counter ").append(this.counter[i]);
			if (this.owner[i] > 0) {
				text.append(", entry ").append((char) ('@' + this.owner[i])).append(':').append(this.value[i]);
			}
			text.append(this.quarantined[i] ? ", quarantined)" : ")");
		}
		for (int a = 0; a < this.attempts; a++) {
			text.append(' ')
				.append((char) ('A' + a))
				.append("(phase ")
				.append(this.phase[a])
				.append(", granted ")
				.append(Arrays.toString(this.granted[a]))
				.append(')');
		}
		return text.substring(1);
	}

	/**
	 * A shift register of 128 bits.
	 */
	private static final class Bits {

		private long low;

		private long high;

		void add(long value, int bits) {
			if (this.high >>> Long.SIZE - bits != 0) {
				throw new IllegalStateException("A state does not fit into two words");
			}
			this.high = this.high << bits | this.low >>> Long.SIZE - bits;
			this.low = this.low << bits | value;
		}

		long take(int bits) {
			long value = this.low & (1L << bits) - 1;
			this.low = this.low >>> bits | this.high << Long.SIZE - bits;
			this.high >>>= bits;
			return value;
		}

	}

}
