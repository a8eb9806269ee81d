package org.lockspring.fencing;

/**
 * The resource has seen a newer token: the caller's lease ended and somebody else
 * acquired the lock. Nothing was written.
 *
 * @since 0.1.0
 */
public class StaleFencingTokenException extends RuntimeException {

	private final String resource;

	private final FencingToken presented;

	private final FencingToken newest;

	/**
	 * Create an exception.
	 * @param resource what refused the token
	 * @param presented the token that was refused
	 * @param newest the newest token that the resource has seen
	 * @param reason why it was refused, a clause that completes the message
	 */
	public StaleFencingTokenException(String resource, FencingToken presented, FencingToken newest, String reason) {
		super("'%s' refused fencing token %s, its newest is %s: %s".formatted(resource, presented, newest, reason));
		this.resource = resource;
		this.presented = presented;
		this.newest = newest;
	}

	/**
	 * Return what refused the token.
	 * @return the resource's name
	 */
	public String getResource() {
		return this.resource;
	}

	/**
	 * Return the token that was refused.
	 * @return the caller's token
	 */
	public FencingToken getPresented() {
		return this.presented;
	}

	/**
	 * Return the newest token that the resource has seen.
	 * @return the token that the caller's lost to
	 */
	public FencingToken getNewest() {
		return this.newest;
	}

}
