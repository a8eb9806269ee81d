package org.lockspring.faults.matrix;

/**
 * What a run is for.
 */
public enum Kind {

	/** Ours, where harm must not happen: a violation ends the campaign in failure. */
	CORRECTNESS,

	/** Ours, where a duplicate is only waste: counted. */
	EFFICIENCY,

	/** A mistake, which must be found: the campaign fails if it is not. */
	CONTROL,

	/** Another library: reported. */
	PEER

}
