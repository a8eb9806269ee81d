package org.lockspring.annotation;

/**
 * What a locked method does when the lock was not obtained within the wait time. Its body
 * does not run either way.
 *
 * @since 0.1.0
 */
public enum OnBusy {

	/**
	 * Throw {@link org.lockspring.LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * Return without a word: nothing for {@code void}, an empty {@code Optional}, a stage
	 * completed with {@code null}, an empty publisher, {@code null} for any other
	 * reference type. A primitive return type is refused when the application starts.
	 */
	SKIP

}
