package org.lockspring.faults.history;

/**
 * A fault that was injected.
 *
 * @param text what it was
 * @param begun when, by {@link System#nanoTime()}
 * @param ended when it was over
 */
public record Injected(String text, long begun, long ended) {

}
