package org.lockspring.sample;

/**
 * A transfer that was made, with the fencing tokens it was made under.
 */
record Transfer(long id, String from, String to, long amount, long fromToken, long toToken) {
}
