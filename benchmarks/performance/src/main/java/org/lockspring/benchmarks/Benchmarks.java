package org.lockspring.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.lockspring.testing.RedisServer;

/**
 * Runs all workloads, or those that {@code -Dbenchmarks.only} names.
 */
public final class Benchmarks {

	private Benchmarks() {
	}

	public static void main(String[] args) throws Exception {
		System.setProperty("jmh.ignoreLock", "true");
		Pattern only = Pattern.compile(System.getProperty("benchmarks.only", ""));
		Results results = new Results();
		try (RedisServer redis = RedisServer.start()) {
			Session session = new Session(redis, results, Boolean.getBoolean("benchmarks.smoke"));
			for (Workload workload : workloads()) {
				if (only.matcher(workload.id()).find()) {
					System.out.println(workload.id());
					redis.flush();
					workload.run(session);
				}
			}
		}
	}

	private static List<Workload> workloads() {
		List<Workload> workloads = new ArrayList<>();
		workloads.add(new Commands());
		workloads.addAll(Uncontended.all());
		workloads.addAll(HotKey.all());
		return workloads;
	}

}
