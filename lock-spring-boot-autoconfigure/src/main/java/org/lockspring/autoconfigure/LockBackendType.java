package org.lockspring.autoconfigure;

/**
 * The backends that properties can name.
 *
 * @since 0.1.0
 */
public enum LockBackendType {

	/**
	 * One Redis, alone or with replicas, under Sentinel, or in a Cluster.
	 */
	REDIS("redis", "org.springframework.boot:spring-boot-starter-data-redis"),

	/**
	 * A quorum of independent Redis servers.
	 */
	REDLOCK("redlock", "io.lettuce:lettuce-core"),

	/**
	 * This process only, for tests.
	 */
	MEMORY("memory", "org.lockspring:lock-spring-boot-starter");

	private final String backendName;

	private final String dependency;

	LockBackendType(String backendName, String dependency) {
		this.backendName = backendName;
		this.dependency = dependency;
	}

	String backendName() {
		return this.backendName;
	}

	String dependency() {
		return this.dependency;
	}

}
