package org.lockspring.benchmarks;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.lockspring.core.LockTemplate;

/**
 * The start of an application with the starter and without.
 */
final class StartUp implements Workload {

	static final String WITHOUT = "without the starter";

	static final String PROXIED = "without the starter, one bean has a proxy";

	static final String WITH = "with the starter";

	static final String TIME = "start";

	/** What no application with Redis alone would have. */
	private static final Pattern FOREIGN = Pattern.compile(
			"^(redisson|lock4j|shedlock|spring-integration|jmh|jetcd|curator|zookeeper|postgresql|embedded|HikariCP"
					+ "|spring-boot-(starter-)?jdbc|spring-boot-sql|spring-jdbc|jedis|rxjava).*\\.jar$");

	@Override
	public String id() {
		return "start-up";
	}

	@Override
	public String title() {
		return "Start of an application with Redis, from the start of its JVM";
	}

	@Override
	public void run(Session session) {
		String with = classPath(false);
		String without = classPath(true);
		for (int round = 0; round < (session.smoke() ? 1 : 11); round++) {
			add(session, WITHOUT, start(session, without, PlainApplication.class));
			add(session, PROXIED, start(session, without, ProxiedApplication.class));
			add(session, WITH, start(session, with, StarterApplication.class));
		}
	}

	private double start(Session session, String classPath, Class<?> program) {
		try (Jvm application = Jvm.start(classPath, program, "--spring.main.banner-mode=off",
				"--spring.application.name=app", "--spring.data.redis.host=127.0.0.1",
				"--spring.data.redis.port=" + session.redis().port())) {
			return application.awaitNumbers()[0];
		}
	}

	private void add(Session session, String contestant, double millis) {
		session.results().add(id(), contestant, TIME, "ms", millis);
	}

	private static String classPath(boolean plain) {
		Path starter = Path.of(LockTemplate.class.getProtectionDomain().getCodeSource().getLocation().getPath());
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !FOREIGN.matcher(Path.of(entry).getFileName().toString()).matches())
			.filter((entry) -> !plain || !Path.of(entry).equals(starter))
			.collect(Collectors.joining(File.pathSeparator));
	}

}
