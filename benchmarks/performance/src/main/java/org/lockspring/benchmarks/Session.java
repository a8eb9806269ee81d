package org.lockspring.benchmarks;

import java.util.List;

import org.lockspring.testing.RedisServer;

/**
 * One run of the benchmarks.
 *
 * @param redis the server of all contestants
 * @param results what was measured
 * @param smoke whether only to see that everything works
 */
record Session(RedisServer redis, Results results, boolean smoke) {

	/**
	 * Return who is measured.
	 */
	List<Contestants> among(List<Contestants> all) {
		return this.smoke ? all.stream().filter(Contestants::isOurs).toList() : all;
	}

}
