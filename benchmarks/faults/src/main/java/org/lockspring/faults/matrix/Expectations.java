package org.lockspring.faults.matrix;

import java.util.EnumSet;
import java.util.Set;

import org.lockspring.faults.checker.Promise;
import org.lockspring.faults.nemesis.Nemesis;

/**
 * What {@code CORRECTNESS} promises under each kind of faults: everything, but for what
 * is listed here. What a resource has accepted is promised always.
 *
 * @param broken what does not hold
 * @param reason why not
 */
public record Expectations(Set<Promise> broken, String reason) {

	private static final Set<Promise> EXCLUSION = EnumSet.of(Promise.ONE_VALID_HOLDER, Promise.MIN_HOLD);

	private static final Set<Promise> EXCLUSION_AND_TOKENS = EnumSet.of(Promise.ONE_VALID_HOLDER, Promise.MIN_HOLD,
			Promise.TOKENS_UNIQUE, Promise.TOKENS_RISE, Promise.LIVENESS);

	private static final Expectations EVERYTHING = new Expectations(EnumSet.noneOf(Promise.class), "");

	/**
	 * Return what is promised.
	 * @param backend where the locks are
	 * @param nemesis what goes wrong
	 * @return the expectations
	 */
	public static Expectations of(Backend backend, Nemesis nemesis) {
		return switch (backend) {
			case REDIS -> redis(nemesis);
			case REDLOCK ->
				(nemesis == Nemesis.STORE_CLOCK_AHEAD)
						? new Expectations(EXCLUSION,
								"a clock that jumps forgets entries; two of three tolerate none that forgets")
						: EVERYTHING;
			case ETCD, ZOOKEEPER -> (nemesis == Nemesis.STORE_EMPTY)
					? new Expectations(EXCLUSION_AND_TOKENS,
							"the store counts anew: applications refuse its tokens until they are started again")
					: EVERYTHING;
			case JDBC -> (nemesis == Nemesis.STORE_EMPTY)
					? new Expectations(EXCLUSION, "the entry is gone; tokens go on from the database's clock")
					: EVERYTHING;
		};
	}

	private static Expectations redis(Nemesis nemesis) {
		return switch (nemesis) {
			case STORE_EMPTY, STORE_TRUNCATED, STORE_FAILOVER ->
				new Expectations(EXCLUSION, "the entry is forgotten; tokens go on from the server's clock");
			case STORE_CLOCK_AHEAD -> new Expectations(EXCLUSION, "entries end by the server's clock");
			case STORE_EMPTY_CLOCK_BACK -> new Expectations(EXCLUSION_AND_TOKENS,
					"counter and clock both gone: tokens fall, and the resource refuses them until they have risen again");
			default -> EVERYTHING;
		};
	}

	/**
	 * Return what has to hold.
	 * @return all but what is broken
	 */
	public Set<Promise> promised() {
		Set<Promise> promised = EnumSet.allOf(Promise.class);
		promised.removeAll(this.broken);
		return promised;
	}

}
