package org.lockspring.core;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.lockspring.LockLease;
import org.lockspring.LockMode;

/** What was seen in a storm, and what must not be seen. */
final class StormLog {

	private final List<Key> keys;

	private final List<String> violations = new CopyOnWriteArrayList<>();

	private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

	private final AtomicInteger acquisitions = new AtomicInteger();

	StormLog(int keys) {
		this.keys = IntStream.range(0, keys).mapToObj((key) -> new Key()).toList();
	}

	int size() {
		return this.keys.size();
	}

	int acquisitions() {
		return this.acquisitions.get();
	}

	List<String> violations() {
		return this.violations;
	}

	void count(String what) {
		this.counts.computeIfAbsent(what, (key) -> new AtomicInteger()).incrementAndGet();
	}

	void injecting(int key) {
		count("entries removed");
		this.keys.get(key).injected.incrementAndGet();
	}

	/** Called before the lock is asked for. */
	Ask asking(int key) {
		Key state = this.keys.get(key);
		return new Ask(key, state.injected.get(), state.highest.get());
	}

	/** Called by the new holder, first thing. */
	Holder entered(Ask ask, LockLease lease) {
		this.acquisitions.incrementAndGet();
		count(lease.mode().name());
		Key state = this.keys.get(ask.key);
		Holder me = new Holder(ask, lease);
		Holder other = state.holder.put("holder", me);
		if (other != null && lease.mode() == LockMode.CORRECTNESS && other.lease.mode() == LockMode.CORRECTNESS
				&& other.lease.isValid() && state.injected.get() == other.ask.injected) {
			this.violations
				.add("Two hold " + ask.key + ": " + other.lease.fencingToken() + ", " + lease.fencingToken());
		}
		if (lease.fencingToken() != null) {
			long token = lease.fencingToken().value();
			if (token <= ask.highest) {
				this.violations.add("Token " + token + " of " + ask.key + " after " + ask.highest);
			}
			if (!state.tokens.add(token)) {
				this.violations.add("Token " + token + " of " + ask.key + " twice");
			}
			state.highest.accumulateAndGet(token, Math::max);
		}
		return me;
	}

	/** Called by a holder, last thing. */
	void leaving(Holder holder) {
		this.keys.get(holder.ask.key).holder.remove("holder", holder);
	}

	@Override
	public String toString() {
		return new TreeMap<>(this.counts).toString();
	}

	record Ask(int key, int injected, long highest) {

	}

	static final class Holder {

		private final Ask ask;

		private final LockLease lease;

		Holder(Ask ask, LockLease lease) {
			this.ask = ask;
			this.lease = lease;
		}

	}

	private static final class Key {

		private final AtomicInteger injected = new AtomicInteger();

		private final AtomicLong highest = new AtomicLong();

		private final Set<Long> tokens = ConcurrentHashMap.newKeySet();

		private final Map<String, Holder> holder = new ConcurrentHashMap<>();

	}

}
