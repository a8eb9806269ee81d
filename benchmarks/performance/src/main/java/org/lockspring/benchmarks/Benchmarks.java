package org.lockspring.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.lockspring.testing.RedisServer;

/**
 * Runs all workloads, or those whose id {@code -Dbenchmarks.only} finds, and writes what
 * was measured into {@code -Dbenchmarks.output}. Ends with an error if an acquisition of
 * ours costs other commands than it should. With {@code -Dbenchmarks.smoke=true} only to
 * see that, and that everything works: the times are worth nothing.
 */
public final class Benchmarks {

	private Benchmarks() {
	}

	/**
	 * Run.
	 * @param args none
	 */
	public static void main(String[] args) {
		try {
			run();
		}
		catch (Exception | Error ex) {
			ex.printStackTrace();
			System.exit(1);
		}
		// Servers in this JVM have threads that would go on
		System.exit(0);
	}

	private static void run() throws Exception {
		System.setProperty("jmh.ignoreLock", "true");
		Pattern only = Pattern.compile(System.getProperty("benchmarks.only", ""));
		boolean smoke = Boolean.getBoolean("benchmarks.smoke");
		if (smoke) {
			Warmup.set(100);
		}
		List<Workload> workloads = ((smoke && only.pattern().isEmpty()) ? smoke() : workloads()).stream()
			.filter((workload) -> only.matcher(workload.id()).find())
			.toList();
		Results results = new Results();
		Map<String, String> machine;
		try (RedisServer redis = RedisServer.start()) {
			machine = Machine.describe(redis);
			Session session = new Session(redis, results, smoke);
			for (Workload workload : workloads) {
				System.out.println(workload.title());
				redis.flush();
				run(workload, session);
			}
		}
		Report report = new Report(results, machine);
		report.write(Path.of(System.getProperty("benchmarks.output", "target")), workloads);
		System.out.println(report.markdown(workloads));
		if (results.hasFailed()) {
			throw new IllegalStateException("Not everything could be measured");
		}
	}

	/** What was measured before is not lost. */
	private static void run(Workload workload, Session session) {
		try {
			workload.run(session);
		}
		catch (Exception ex) {
			ex.printStackTrace();
			session.results().fail(workload.id(), ex);
		}
	}

	/** What shows in two minutes that everything works. */
	private static List<Workload> smoke() {
		return List.of(new Commands(), new Uncontended("uncontended-1", 1, false), new HotKey("hot-1x16", 1, 16));
	}

	private static List<Workload> workloads() {
		List<Workload> workloads = new ArrayList<>();
		workloads.add(new Commands());
		workloads.addAll(Uncontended.all());
		workloads.add(new Processor());
		workloads.addAll(HotKey.all());
		workloads.add(new WakeUp());
		workloads.add(new CrashedHolder());
		workloads.add(new Redlock());
		workloads.addAll(StorePairs.all());
		workloads.add(new Renewal());
		workloads.add(new Aspect());
		workloads.add(new StartUp());
		workloads.add(new Memory());
		return workloads;
	}

}
