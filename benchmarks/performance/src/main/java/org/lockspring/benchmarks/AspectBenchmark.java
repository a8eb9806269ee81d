package org.lockspring.benchmarks;

import java.util.concurrent.TimeUnit;

import org.lockspring.LockRequest;
import org.lockspring.core.LockTemplate;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * What lies between a caller and a store, with a store that costs next to nothing.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AspectBenchmark {

	private ConfigurableApplicationContext context;

	private AnnotatedMethods methods;

	private LockTemplate template;

	@Setup
	public void start() {
		this.context = new SpringApplicationBuilder(LockingApplication.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=error", "spring.application.name=app",
					"lock.efficiency.backend=memory", "lock.correctness.backend=memory")
			.run();
		this.methods = this.context.getBean(AnnotatedMethods.class);
		this.template = this.context.getBean(LockTemplate.class);
	}

	@Benchmark
	public void template(Keys keys) {
		this.template.execute(LockRequest.of(keys.next()), (lease) -> {
			keys.body().run();
			return null;
		});
		keys.verify();
	}

	@Benchmark
	public void annotation(Keys keys) {
		this.methods.efficiently(keys.next(), keys.body());
		keys.verify();
	}

	@TearDown
	public void close() {
		this.context.close();
	}

}
