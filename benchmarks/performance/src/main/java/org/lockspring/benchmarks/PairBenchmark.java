package org.lockspring.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Acquires and releases locks that nobody else wants.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
public class PairBenchmark {

	@Param("RAW_AWAITED")
	private Contestants contestant;

	private int port;

	private Contestant lock;

	@Setup
	public void start() {
		this.port = Integer.getInteger(Forks.REDIS);
		this.lock = this.contestant.start(this.port, Contestants.TTL);
		Warmup.run(this.lock);
	}

	@Benchmark
	public void pair(Keys keys) {
		this.lock.locked(keys.next(), keys.body());
		keys.verify();
	}

	@TearDown(Level.Iteration)
	public void check() {
		Check.locks(this.lock, this.port);
	}

	@TearDown
	public void close() {
		this.lock.close();
	}

}
