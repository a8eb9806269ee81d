package org.lockspring.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import org.lockspring.LockMode;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Who is measured. Public for the generated benchmarks.
 */
public enum Contestants {

	/** What a careful application would write by hand. */
	RAW_AWAITED("raw Lettuce", false, (port, ttl) -> new RawLettuce(port, ttl, true)),

	/** The least that works. */
	RAW("raw Lettuce, release not awaited", false, (port, ttl) -> new RawLettuce(port, ttl, false)),

	EFFICIENCY("EFFICIENCY, template", true, (port, ttl) -> OurLocks.template(port, ttl, LockMode.EFFICIENCY)),

	EFFICIENCY_ANNOTATION("EFFICIENCY, annotation", true,
			(port, ttl) -> OurLocks.annotation(port, ttl, LockMode.EFFICIENCY)),

	CORRECTNESS("CORRECTNESS, template", true, (port, ttl) -> OurLocks.template(port, ttl, LockMode.CORRECTNESS)),

	CORRECTNESS_ANNOTATION("CORRECTNESS, annotation", true,
			(port, ttl) -> OurLocks.annotation(port, ttl, LockMode.CORRECTNESS)),

	SHEDLOCK("ShedLock, safeUpdate", false, (port, ttl) -> new ShedLock(port, ttl)),

	REGISTRY_SPIN("RedisLockRegistry, spin", true,
			(port, ttl) -> new IntegrationRegistry(port, ttl, RedisLockType.SPIN_LOCK)),

	REGISTRY_PUB_SUB("RedisLockRegistry, pub-sub", true,
			(port, ttl) -> new IntegrationRegistry(port, ttl, RedisLockType.PUB_SUB_LOCK)),

	REDISSON("Redisson RLock", true, (port, ttl) -> new Redisson(port, ttl, false)),

	REDISSON_FENCED("Redisson RFencedLock", true, (port, ttl) -> new Redisson(port, ttl, true)),

	LOCK4J("lock4j", true, (port, ttl) -> new Lock4j(port, ttl));

	/** Longer than any benchmark holds a lock. */
	static final Duration TTL = Duration.ofSeconds(30);

	static final Duration WAIT = Duration.ofMinutes(1);

	static final List<Contestants> COMPETITORS = List.of(SHEDLOCK, REGISTRY_SPIN, REGISTRY_PUB_SUB, REDISSON,
			REDISSON_FENCED, LOCK4J);

	private final String title;

	private final boolean waits;

	private final Start start;

	Contestants(String title, boolean waits, Start start) {
		this.title = title;
		this.waits = waits;
		this.start = start;
	}

	/**
	 * Connect to a Redis on this machine.
	 * @param ttl of each lock
	 */
	Contestant start(int port, Duration ttl) {
		return this.start.start(port, ttl);
	}

	String title() {
		return this.title;
	}

	boolean isOurs() {
		return this == EFFICIENCY || this == EFFICIENCY_ANNOTATION || this == CORRECTNESS
				|| this == CORRECTNESS_ANNOTATION;
	}

	/**
	 * Return those that can wait for a busy lock, by template alone: the annotation adds
	 * nothing to waiting.
	 */
	static List<Contestants> waiting() {
		return Arrays.stream(values())
			.filter((contestant) -> contestant.waits && contestant != EFFICIENCY_ANNOTATION
					&& contestant != CORRECTNESS_ANNOTATION)
			.toList();
	}

	/** Connects to a Redis on this machine. */
	private interface Start {

		Contestant start(int port, Duration ttl);

	}

}
