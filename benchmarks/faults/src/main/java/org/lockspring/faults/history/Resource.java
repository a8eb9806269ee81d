package org.lockspring.faults.history;

import java.util.List;

/**
 * One value that operations read and write under a lock.
 *
 * @param key its name, which is the lock's too
 * @param initial its value at the start
 * @param current its value at the end
 * @param accepted all writes, in the order in which the resource accepted them
 */
public record Resource(String key, long initial, long current, List<Accepted> accepted) {

}
