package org.lockspring.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.lockspring.core.OnLoss;
import org.lockspring.core.OnUnavailable;
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
 * @param onLoss What happens to a running body when its lock is lost.
 * @param renewal Settings of the renewal.
 * @param handOver Settings of the hand-over between threads of one process.
 * @param efficiency Settings of EFFICIENCY.
 * @param correctness Settings of CORRECTNESS.
 * @param redis Settings of the backend 'redis'.
 * @since 0.1.0
 */
@ConfigurationProperties("lock")
public record LockProperties(@Nullable String namespace, @DefaultValue("30s") Duration ttl,
		@DefaultValue("0s") Duration waitTime, @DefaultValue("flag") OnLoss onLoss, @DefaultValue Renewal renewal,
		@DefaultValue HandOver handOver, @DefaultValue Efficiency efficiency, @DefaultValue Correctness correctness,
		@DefaultValue Redis redis) {

	/**
	 * Settings of the renewal.
	 *
	 * @param maxHold Time after its acquisition until which a lock is renewed.
	 */
	public record Renewal(@DefaultValue("1h") Duration maxHold) {

	}

	/**
	 * Settings of the hand-over between threads of one process.
	 *
	 * @param enabled Whether a lock may pass from thread to thread without being released
	 * in between.
	 * @param maxConsecutive Number of times a lock passes on before other processes have
	 * their chance.
	 * @param maxTime Time after which other processes have their chance.
	 */
	public record HandOver(@DefaultValue("true") boolean enabled, @DefaultValue("1000") int maxConsecutive,
			@DefaultValue("50ms") Duration maxTime) {

	}

	/**
	 * Settings of EFFICIENCY.
	 *
	 * @param backend Store that keeps the locks. Defaults to the one that can be built.
	 * @param onUnavailable What happens to a body when the store does not answer.
	 */
	public record Efficiency(@Nullable LockBackendType backend, @DefaultValue("fail") OnUnavailable onUnavailable) {

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
