package org.lockspring.faults.history;

/**
 * What is known about an operation.
 */
public enum Outcome {

	/** It took effect. */
	OK,

	/** It had no effect, and never will. */
	FAILED,

	/** It may have had an effect, or not, or may have it later. */
	UNKNOWN

}
