package org.lockspring.redis;

/**
 * The commands that locks need, one round trip each.
 */
interface LockCommands {

	/**
	 * {@code SET key value NX PX ttl}.
	 * @return whether it was set
	 */
	boolean setIfAbsent(byte[] key, byte[] value, long ttlMillis);

	/**
	 * {@code EVALSHA}.
	 * @param script what the server may know
	 * @param keys how many of the following are keys
	 * @param keysAndArgs the keys, then the arguments
	 * @return the answer, a number or a list
	 */
	Object evalSha(LockScript script, int keys, byte[][] keysAndArgs);

	/**
	 * {@code EVAL}.
	 */
	Object eval(LockScript script, int keys, byte[][] keysAndArgs);

}
