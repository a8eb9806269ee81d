package org.lockspring.faults.nemesis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.lockspring.faults.store.Store.Memory;
import org.lockspring.faults.workload.Timing;
import org.lockspring.testing.FaultProxy;

/**
 * The kinds of faults. Lengths are multiples of the ttl.
 */
@SuppressWarnings("ImmutableEnumChecker")
public enum Nemesis {

	/** SIGSTOP, longer and shorter than a ttl. */
	WORKER_PAUSE((arena, fault) -> arena.worker(fault).pause(), (arena, fault) -> arena.worker(fault).resume(), 0.5,
			1.5, 3),

	/** SIGSTOP until the next holder is at work: for controls, which need just that. */
	WORKER_STALL((arena, fault) -> arena.worker(fault).pause(), (arena, fault) -> arena.worker(fault).resume(), 1.5),

	/** SIGKILL, and a new process. */
	WORKER_KILL((arena, fault) -> arena.worker(fault).kill(), (arena, fault) -> arena.worker(fault).restart(), 0.2),

	/** The wall clock of a worker is an hour ahead, then an hour behind. */
	WORKER_CLOCK((arena, fault) -> arena.worker(fault).step(Duration.ofHours(1)),
			(arena, fault) -> arena.worker(fault).step(Duration.ofHours(-1)), 0.5, 1),

	/** SIGSTOP of the store. */
	STORE_PAUSE((arena, fault) -> arena.servers(fault, arena.store()::pause),
			(arena, fault) -> arena.servers(fault, arena.store()::resume), 0.3, 0.8, 1.5),

	/** SIGKILL of the store, which comes back with all that it has acknowledged. */
	STORE_KILL((arena, fault) -> arena.servers(fault, arena.store()::kill),
			(arena, fault) -> arena.servers(fault, (server) -> arena.store().restart(server, Memory.ALL)), 0.1, 0.5),

	/** SIGKILL of the store, which comes back with nothing. */
	STORE_EMPTY((arena, fault) -> arena.servers(fault, arena.store()::kill),
			(arena, fault) -> arena.servers(fault, (server) -> arena.store().restart(server, Memory.NOTHING)), 0.1,
			0.3),

	/** SIGKILL of the store, which comes back without its newest writes. */
	STORE_TRUNCATED((arena, fault) -> arena.servers(fault, arena.store()::kill),
			(arena, fault) -> arena.servers(fault, (server) -> arena.store().restart(server, Memory.WITHOUT_THE_LAST)),
			0.1, 0.3),

	/** The standby, which lacks the newest writes, takes the place of the store. */
	STORE_FAILOVER((arena, fault) -> arena.store().lag(), (arena, fault) -> arena.store().failOver(), 0.2, 0.5),

	/** The wall clock of a store steps ahead. */
	STORE_CLOCK_AHEAD((arena, fault) -> arena.store().step(fault.target(), Duration.ofHours(1)), Hit.NOTHING, 0),

	/** The wall clock of a store steps back. */
	STORE_CLOCK_BACK((arena, fault) -> arena.store().step(fault.target(), Timing.STEP_BACK.negated()), Hit.NOTHING, 0),

	/**
	 * The store forgets, and its clock steps back: where both keep tokens rising, neither
	 * does.
	 */
	STORE_EMPTY_CLOCK_BACK((arena, fault) -> arena.store().kill(0), (arena, fault) -> {
		arena.store().step(0, Duration.ofMinutes(-5));
		arena.store().restart(0, Memory.NOTHING);
	}, 0.1),

	/** Every answer takes long. */
	STORE_SLOW((arena, fault) -> arena.allLinks((link) -> link.delayReplies(Duration.ofMillis(150))),
			(arena, fault) -> arena.allLinks(FaultProxy::heal), 1, 2),

	/** SCRIPT FLUSH. */
	SCRIPT_FLUSH((arena, fault) -> arena.servers(fault, (server) -> arena.store().command(server, "SCRIPT", "FLUSH")),
			Hit.NOTHING, 0),

	/** CLIENT PAUSE. */
	CLIENT_PAUSE(
			(arena, fault) -> arena.servers(fault,
					(server) -> arena.store().command(server, "CLIENT", "PAUSE", String.valueOf(fault.length()))),
			Hit.NOTHING, 0.3, 0.8, 1.5),

	/** No memory for any write. */
	MEMORY_FULL(
			(arena, fault) -> arena.servers(fault,
					(server) -> arena.store().command(server, "CONFIG", "SET", "maxmemory", "1")),
			(arena, fault) -> arena.servers(fault,
					(server) -> arena.store().command(server, "CONFIG", "SET", "maxmemory", "0")),
			0.3, 1.2),

	/** Nothing passes in either direction; what was sent arrives later. */
	PARTITION((arena, fault) -> arena.links(fault, FaultProxy::blackhole),
			(arena, fault) -> arena.links(fault, FaultProxy::heal), 0.5, 1.2, 2),

	/** Requests are held up and arrive much later, also if the client has given up. */
	LATE_REQUESTS((arena, fault) -> arena.links(fault, FaultProxy::holdRequests),
			(arena, fault) -> arena.links(fault, FaultProxy::heal), 0.5, 1.2),

	/** The next replies are lost: the requests are carried out. */
	LOST_REPLIES((arena, fault) -> arena.links(fault, (link) -> link.swallowReplies(5)),
			(arena, fault) -> arena.links(fault, FaultProxy::heal), 0.5),

	/** Replies come when the ttl is over. */
	LATE_REPLIES(
			(arena, fault) -> arena.links(fault, (link) -> link.delayReplies(Timing.TTL.multipliedBy(6).dividedBy(5))),
			(arena, fault) -> arena.links(fault, FaultProxy::heal), 0.6, 1.5),

	/** The connection is cut when a request was carried out, before its answer. */
	CUT((arena, fault) -> arena.links(fault, FaultProxy::cutAfterRequest),
			(arena, fault) -> arena.links(fault, FaultProxy::cutAll), 0.3),

	/** A fault of a worker while there is one of the store, or on the way to it. */
	COMBINED(Hit.NOTHING, Hit.NOTHING, 0);

	private final Hit begin;

	private final Hit end;

	private final List<Integer> lengths;

	Nemesis(Hit begin, Hit end, double... ttls) {
		this.begin = begin;
		this.end = end;
		this.lengths = Arrays.stream(ttls).mapToObj((ttl) -> (int) (ttl * Timing.TTL.toMillis())).toList();
	}

	/**
	 * Return the name that tables have.
	 * @return words with dashes
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Return how long its faults may last.
	 * @return milliseconds
	 */
	List<Integer> lengths() {
		return this.lengths;
	}

	/**
	 * Return whether workers are hit.
	 * @return {@code false} for stores and the ways to them
	 */
	boolean hitsWorkers() {
		return name().startsWith("WORKER");
	}

	/**
	 * Return how many there are to choose a target from. One worker is never killed, and
	 * has to get the locks of the others: to start takes longer than to be killed again.
	 * @return how many
	 */
	int targets() {
		return (this == WORKER_KILL) ? 2 : 3;
	}

	/**
	 * Return whether all faults of a run hit the same one server: a quorum outlives one
	 * clock that is wrong, not two.
	 * @return whether there is one target
	 */
	boolean hitsOneOnly() {
		return name().contains("CLOCK");
	}

	void begin(Arena arena, Fault fault) {
		this.begin.accept(arena, fault);
	}

	void end(Arena arena, Fault fault) {
		this.end.accept(arena, fault);
	}

	private interface Hit {

		Hit NOTHING = (arena, fault) -> {
		};

		void accept(Arena arena, Fault fault);

	}

}
