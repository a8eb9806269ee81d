package org.lockspring.faults.nemesis;

/**
 * One fault of a schedule.
 *
 * @param kind what
 * @param at when it begins, in milliseconds from the start
 * @param target which worker, server or way
 * @param width how many servers, where several decide together
 * @param length how long it lasts, in milliseconds; zero if it has no length
 */
public record Fault(Nemesis kind, int at, int target, int width, int length) {

	/** Return when it is over, in milliseconds from the start. */
	int end() {
		return this.at + this.length;
	}

	@Override
	public String toString() {
		return this.at + " ms: " + this.kind.label() + " " + this.target + ((this.width > 1) ? "x" + this.width : "")
				+ ((this.length > 0) ? " for " + this.length + " ms" : "");
	}

}
