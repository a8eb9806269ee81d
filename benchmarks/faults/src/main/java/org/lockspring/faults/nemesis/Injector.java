package org.lockspring.faults.nemesis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.lockspring.faults.history.Injected;

/**
 * Carries out a schedule.
 */
public final class Injector {

	private final Arena arena;

	/**
	 * Create an injector.
	 * @param arena what is hit
	 */
	public Injector(Arena arena) {
		this.arena = arena;
	}

	/**
	 * Begin and end every fault at its time, or as soon after it as those before allow.
	 * @param schedule what to do
	 * @return what was done
	 * @throws InterruptedException if the thread is interrupted
	 */
	public List<Injected> run(Schedule schedule) throws InterruptedException {
		List<Event> events = new ArrayList<>();
		schedule.faults().forEach((fault) -> {
			events.add(new Event(fault.at(), fault, true));
			events.add(new Event(fault.end(), fault, false));
		});
		events.sort(Comparator.comparingInt(Event::at));
		List<Injected> injected = new ArrayList<>();
		Map<Fault, Long> begun = new HashMap<>();
		long start = System.nanoTime();
		for (Event event : events) {
			long left = event.at() - (System.nanoTime() - start) / 1_000_000;
			Thread.sleep(Math.max(0, left));
			Fault fault = event.fault();
			if (event.begins()) {
				begun.put(fault, System.nanoTime());
				fault.kind().begin(this.arena, fault);
			}
			else {
				fault.kind().end(this.arena, fault);
				injected.add(new Injected(fault.toString(), begun.getOrDefault(fault, start), System.nanoTime()));
			}
		}
		return injected;
	}

	private record Event(int at, Fault fault, boolean begins) {

	}

}
