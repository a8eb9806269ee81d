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
	REDIS("redis", "org.springframework.boot:spring-boot-starter-data-redis", "spring.data.redis.*"),

	/**
	 * A table in a relational database.
	 */
	JDBC("jdbc", "org.springframework.boot:spring-boot-starter-jdbc",
			"spring.datasource.* and the driver of the database, for example org.postgresql:postgresql; "
					+ "of several DataSource beans one is @Primary or has @LockDataSource"),

	/**
	 * A quorum of independent Redis servers.
	 */
	REDLOCK("redlock", "io.lettuce:lettuce-core", "lock.redlock.nodes"),

	/**
	 * etcd. Its client is not managed by Spring Boot: the version is the one tested with.
	 */
	ETCD("etcd", "io.etcd:jetcd-core:0.8.7", "lock.etcd.endpoints"),

	/**
	 * ZooKeeper, through Curator, which Spring Boot does not manage either.
	 */
	ZOOKEEPER("zookeeper", "org.apache.curator:curator-framework:5.9.0", "lock.zookeeper.connect-string"),

	/**
	 * This process only, for tests.
	 */
	MEMORY("memory", "org.lockspring:lock-spring-boot-starter", "none is needed");

	private final String backendName;

	private final String dependency;

	private final String connection;

	LockBackendType(String backendName, String dependency, String connection) {
		this.backendName = backendName;
		this.dependency = dependency;
		this.connection = connection;
	}

	String backendName() {
		return this.backendName;
	}

	/**
	 * Group and artifact of its client, and the version if Spring Boot manages none.
	 */
	String dependency() {
		return this.dependency;
	}

	/**
	 * The property that tells where it is.
	 */
	String connection() {
		return this.connection;
	}

}
