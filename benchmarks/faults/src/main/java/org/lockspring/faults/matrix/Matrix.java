package org.lockspring.faults.matrix;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.lockspring.faults.checker.Promise;
import org.lockspring.faults.workload.Guard;
import org.lockspring.faults.nemesis.Nemesis;
import org.lockspring.faults.worker.Assignment;
import org.lockspring.faults.workload.Pace;

/**
 * All runs that there are.
 */
public final class Matrix {

	private static final List<Nemesis> FOR_PEERS = List.of(Nemesis.WORKER_PAUSE, Nemesis.STORE_EMPTY,
			Nemesis.STORE_FAILOVER, Nemesis.STORE_CLOCK_AHEAD, Nemesis.LOST_REPLIES);

	private static final List<String> PEERS = List.of("redisson-rlock", "redisson-fenced", "shedlock",
			"spring-integration");

	private Matrix() {
	}

	/**
	 * Return all runs.
	 * @return runs with different names
	 */
	public static List<Cell> cells() {
		List<Cell> cells = new ArrayList<>();
		for (Backend backend : Backend.values()) {
			backend.nemeses().forEach((nemesis) -> cells.add(correctness(backend, nemesis)));
		}
		FOR_PEERS.forEach(
				(nemesis) -> cells.add(counted("efficiency", Kind.EFFICIENCY, nemesis, Guard.NONE, Assignment.ALL)));
		for (String peer : PEERS) {
			// The one that has tokens gets the guard that it does not bring
			Guard guard = peer.equals("redisson-fenced") ? Guard.FIRST : Guard.NONE;
			FOR_PEERS.forEach((nemesis) -> cells.add(counted(peer, Kind.PEER, nemesis, guard, Assignment.WITHOUT_JOB)));
		}
		cells.addAll(controls());
		return cells;
	}

	private static Cell correctness(Backend backend, Nemesis nemesis) {
		String name = backend.label() + "/" + nemesis.label();
		Expectations expectations = Expectations.of(backend, nemesis);
		return new Cell(name, Kind.CORRECTNESS, backend, nemesis,
				new Assignment(name, "correctness", Guard.NONE, Pace.QUICK, Assignment.ALL), expectations.promised(),
				expectations.reason());
	}

	private static Cell counted(String locking, Kind kind, Nemesis nemesis, Guard guard, List<String> workloads) {
		String name = locking + "/" + nemesis.label();
		return new Cell(name, kind, Backend.REDIS, nemesis, new Assignment(name, locking, guard, Pace.QUICK, workloads),
				EnumSet.noneOf(Promise.class), "");
	}

	private static List<Cell> controls() {
		return List.of(
				control("no-fencing", "control-unfenced", Guard.NONE, "counter", Nemesis.WORKER_STALL,
						Promise.NO_LOST_UPDATE, "tokens that nobody checks"),
				control("guard-at-end", "control-unfenced", Guard.AT_END, "counter", Nemesis.WORKER_STALL,
						Promise.NO_LOST_UPDATE, "the token is claimed with the write, after the read"),
				control("guard-by-select", "control-unfenced", Guard.BY_SELECT, "counter", Nemesis.WORKER_STALL,
						Promise.NO_LOST_UPDATE, "the token is looked at, and the row not locked"),
				control("release-by-del", "control-del", Guard.NONE, "counter", Nemesis.WORKER_STALL,
						Promise.ONE_VALID_HOLDER, "who comes late deletes the lock of the next"),
				control("plain-incr", "control-incr", Guard.NONE, "tickets", Nemesis.STORE_EMPTY, Promise.TOKENS_UNIQUE,
						"INCR in a store that forgets"));
	}

	private static Cell control(String mistake, String locking, Guard guard, String workload, Nemesis nemesis,
			Promise broken, String reason) {
		String name = "control/" + mistake;
		return new Cell(name, Kind.CONTROL, Backend.REDIS, nemesis,
				new Assignment(name, locking, guard, Pace.SLOW, List.of(workload)), Set.of(broken), reason);
	}

}
