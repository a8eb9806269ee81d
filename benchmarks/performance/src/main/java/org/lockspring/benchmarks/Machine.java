package org.lockspring.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.lockspring.testing.RedisServer;

/**
 * Where a run took place, and with which versions.
 */
final class Machine {

	private static final List<String> LIBRARIES = List.of("spring-boot", "spring-data-redis", "lettuce-core",
			"shedlock-core", "spring-integration-redis", "redisson", "lock4j-core", "jetcd-core", "curator-framework",
			"postgresql", "jmh-core");

	private Machine() {
	}

	static Map<String, String> describe(RedisServer redis) {
		Map<String, String> facts = new LinkedHashMap<>();
		facts.put("processor", Runtime.getRuntime().availableProcessors() + " x "
				+ firstMatch("/proc/cpuinfo", "model name\\s*:\\s*(.*)"));
		facts.put("memory", firstMatch("/proc/meminfo", "MemTotal:\\s*(.*)"));
		facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
		facts.put("JDK", System.getProperty("java.vm.name") + " " + Runtime.version());
		facts.put("Redis", redis.info("redis_version") + ", loopback, no persistence");
		for (String library : LIBRARIES) {
			facts.put(library, version(library));
		}
		return facts;
	}

	private static String firstMatch(String file, String pattern) {
		try {
			Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(Path.of(file)));
			return matcher.find() ? matcher.group(1) : "unknown";
		}
		catch (IOException ex) {
			return "unknown";
		}
	}

	private static String version(String library) {
		Pattern pattern = Pattern.compile(Pattern.quote(library) + "-(\\d.*)\\.jar");
		for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
			Matcher matcher = pattern.matcher(Path.of(entry).getFileName().toString());
			if (matcher.matches()) {
				return matcher.group(1);
			}
		}
		return "unknown";
	}

}
