package org.lockspring.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the locks.
 *
 * @param namespace Prefix of every name in the store, so that applications do not meet.
 * Defaults to the application's name.
 * @param ttl Time to live of a lock that names none, 10ms to 24h: how long a crashed
 * holder blocks others.
 * @param waitTime Time to wait for a busy lock that names none, up to 24h. Zero tries
 * once.
 * @param efficiency Settings of EFFICIENCY.
 * @param correctness Settings of CORRECTNESS.
 * @param redis Settings of the backend 'redis'.
 * @since 0.1.0
 */
@ConfigurationProperties("lock")
public record LockProperties(@Nullable String namespace, @DefaultValue("30s") Duration ttl,
		@DefaultValue("0s") Duration waitTime, @DefaultValue Efficiency efficiency,
		@DefaultValue Correctness correctness, @DefaultValue Redis redis) {

	/**
	 * Settings of EFFICIENCY.
	 *
	 * @param backend Store that keeps the locks. Defaults to the one that can be built.
	 */
	public record Efficiency(@Nullable LockBackendType backend) {

	}

	/**
	 * Settings of CORRECTNESS.
	 *
	 * @param backend Store that keeps the locks and gives the fencing tokens. Defaults to
	 * the one that can be built.
	 */
	public record Correctness(@Nullable LockBackendType backend) {

	}

	/**
	 * Settings of the backend 'redis'.
	 *
	 * @param fenceRetention Time that a lock's fence counter outlives its last use.
	 */
	public record Redis(@DefaultValue("7d") Duration fenceRetention) {

	}

}
