package org.lockspring.faults.nemesis;

import java.util.function.Consumer;
import java.util.function.IntConsumer;

import org.lockspring.faults.store.Store;
import org.lockspring.faults.worker.WorkerProcess;
import org.lockspring.faults.worker.Workers;
import org.lockspring.testing.FaultProxy;

/**
 * What a fault can hit.
 *
 * @param workers the workers
 * @param store the store of their locks
 */
public record Arena(Workers workers, Store store) {

	WorkerProcess worker(Fault fault) {
		return this.workers.get(fault.target());
	}

	/** Hit one server, or several of those that decide together. */
	void servers(Fault fault, IntConsumer hit) {
		for (int i = 0; i < Math.min(fault.width(), this.store.servers()); i++) {
			hit.accept((fault.target() + i) % this.store.servers());
		}
	}

	/** Hit the way of one worker, or the ways to as many servers. */
	void links(Fault fault, Consumer<FaultProxy> hit) {
		int size = this.store.links().size();
		int width = (this.store.servers() > 1) ? fault.width() : 1;
		for (int i = 0; i < width; i++) {
			hit.accept(this.store.links().get((fault.target() + i) % size));
		}
	}

	/** Hit every way to the store. */
	void allLinks(Consumer<FaultProxy> hit) {
		this.store.links().forEach(hit);
	}

}
