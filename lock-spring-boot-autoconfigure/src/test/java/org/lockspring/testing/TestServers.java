package org.lockspring.testing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The servers that really were started, with their versions, for the line at the end of a
 * test run.
 */
public final class TestServers {

	private static final Map<String, String> versions = new ConcurrentHashMap<>();

	private TestServers() {
	}

	/**
	 * Tell that a server was started.
	 * @param server the name that {@link UsesServer} uses
	 * @param version its version, as the server itself tells it
	 */
	public static void started(String server, String version) {
		versions.put(server, version);
	}

	static String version(String server) {
		String version = versions.get(server);
		if (version != null) {
			return version;
		}
		// In this JVM, and so never started
		return server.equals("h2") ? org.h2.engine.Constants.VERSION : "";
	}

}
