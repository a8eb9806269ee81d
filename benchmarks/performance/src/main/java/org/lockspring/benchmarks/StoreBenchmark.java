package org.lockspring.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Acquires and releases locks that nobody else wants, in a store that both contestants
 * use alike.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
public class StoreBenchmark {

	@Param("ETCD")
	private Stores store;

	private Contestant lock;

	@Setup
	public void start() {
		this.lock = this.store.start(System.getProperty(Forks.ADDRESS));
		Warmup.run(this.lock);
	}

	@Benchmark
	public void pair(Keys keys) {
		this.lock.locked(keys.next(), keys.body());
		keys.verify();
	}

	@TearDown
	public void close() {
		this.lock.close();
	}

}
