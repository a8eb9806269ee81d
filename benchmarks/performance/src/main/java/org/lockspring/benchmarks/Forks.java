package org.lockspring.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;

import org.lockspring.testing.RedisServer;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs JMH with one fork at a time, so that the forks of all contestants can alternate: a
 * machine that changes its mood then does so for all of them.
 */
final class Forks {

	/** The port of Redis, as a system property of the fork. */
	static final String REDIS = "benchmarks.redis";

	/** Where another store is. */
	static final String ADDRESS = "benchmarks.address";

	private static final String MEMORY = "-Xmx512m";

	private final int rounds;

	private final int iterations;

	private final TimeValue warmupTime;

	private final TimeValue time;

	Forks(boolean smoke) {
		this.rounds = smoke ? 1 : 2;
		this.iterations = smoke ? 1 : 2;
		this.time = TimeValue.milliseconds(smoke ? 200 : 1000);
		this.warmupTime = TimeValue.milliseconds(smoke ? 200 : 5000);
	}

	int rounds() {
		return this.rounds;
	}

	/**
	 * Measure pairs of acquisition and release with one Redis.
	 * @return how many in a second, of each iteration
	 */
	List<Double> pairs(RedisServer server, Contestants contestant, int threads) {
		return scores(run("PairBenchmark.pair",
				(options) -> options.param("contestant", contestant.name())
					.threads(threads)
					.jvmArgsAppend(MEMORY, "-D" + REDIS + "=" + server.port(), Warmup.argument())));
	}

	/**
	 * Measure pairs of acquisition and release with another store.
	 * @return how many in a second, of each iteration
	 */
	List<Double> pairs(Stores store, String address) {
		return scores(run("StoreBenchmark.pair", (options) -> options.param("store", store.name())
			.jvmArgsAppend(MEMORY, "-D" + ADDRESS + "=" + address, Warmup.argument())));
	}

	/**
	 * Run one fork.
	 * @param method the benchmark's class and method
	 * @param settings threads, parameters and arguments of the JVM
	 * @return what JMH says
	 */
	RunResult run(String method, UnaryOperator<ChainedOptionsBuilder> settings) {
		ChainedOptionsBuilder options = new OptionsBuilder().include(method.replace(".", "\\.") + "$")
			.verbosity(VerboseMode.SILENT)
			.shouldFailOnError(true)
			.forks(1)
			.warmupIterations(1)
			.warmupTime(this.warmupTime)
			.measurementIterations(this.iterations)
			.measurementTime(this.time)
			.syncIterations(true);
		try {
			Collection<RunResult> results = new Runner(settings.apply(options).build()).run();
			if (results.size() != 1) {
				throw new IllegalStateException(method + " gave " + results.size() + " results");
			}
			return results.iterator().next();
		}
		catch (RunnerException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return the score of each iteration.
	 */
	static List<Double> scores(RunResult result) {
		List<Double> scores = new ArrayList<>();
		for (IterationResult iteration : result.getAggregatedResult().getIterationResults()) {
			scores.add(iteration.getPrimaryResult().getScore());
		}
		return scores;
	}

}
