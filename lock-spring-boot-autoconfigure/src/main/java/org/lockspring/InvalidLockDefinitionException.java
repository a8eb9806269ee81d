package org.lockspring;

import org.jspecify.annotations.Nullable;

/**
 * A lock is defined in a way that cannot work. Thrown when the application starts where
 * the definition can be seen, at the first use otherwise.
 *
 * @since 0.1.0
 */
public class InvalidLockDefinitionException extends LockException {

	private final String subject;

	private final String problem;

	private final String remedy;

	/**
	 * Create an exception.
	 * @param subject what is defined: {@code class#method} and the attribute, or a
	 * property
	 * @param problem what is wrong with it, a clause that completes the message
	 * @param remedy what to type instead
	 */
	public InvalidLockDefinitionException(String subject, String problem, String remedy) {
		this(subject, problem, remedy, null);
	}

	/**
	 * Create an exception.
	 * @param subject what is defined: {@code class#method} and the attribute, or a
	 * property
	 * @param problem what is wrong with it, a clause that completes the message
	 * @param remedy what to type instead
	 * @param cause what found it wrong, if anything did
	 */
	public InvalidLockDefinitionException(String subject, String problem, String remedy, @Nullable Throwable cause) {
		super(subject + ": " + problem + ". " + remedy, cause);
		this.subject = subject;
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * Return what is defined in a way that cannot work.
	 * @return {@code class#method} and the attribute, or a property
	 */
	public String getSubject() {
		return this.subject;
	}

	/**
	 * Return what is wrong with it.
	 * @return a clause
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * Return what to type instead.
	 * @return one or more sentences
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
