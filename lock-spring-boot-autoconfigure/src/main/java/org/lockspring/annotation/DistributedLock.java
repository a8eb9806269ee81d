package org.lockspring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.lockspring.LockMode;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method under a distributed lock. On a type: every public method of it, all with
 * the same declaration.
 * <p>
 * The most specific declaration wins: target method, target class, interface method,
 * interface. Repeated, several locks are taken in the order of their keys, all or none.
 * The lock is inside {@code @Async} and {@code @Retryable} (that of Spring Retry:
 * outside) and outside {@code @Transactional}: the commit precedes the release.
 * <p>
 * The lock is held until the work is done, which may be after the method has returned: a
 * {@code CompletionStage} or {@code Future} is complete, the subscription to a
 * {@code Mono}, {@code Flux} or another reactive type has ended, the coroutine of a
 * Kotlin function that suspends has ended. A reactive method runs anew for each
 * subscription, each with its own lock, and not before; a busy lock is then an error
 * signal, where other methods throw. For a {@code Future} that is no
 * {@code CompletionStage} a thread waits.
 * <p>
 * Works through the Spring bean: a call on {@code this} passes it by, unless
 * {@code lock.annotation.mode=aspectj}. What cannot work ends the start of the
 * application with {@link org.lockspring.InvalidLockDefinitionException}.
 *
 * @since 0.1.0
 */
@Documented
@Reflective
@Repeatable(DistributedLocks.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE })
public @interface DistributedLock {

	/**
	 * Alias of {@link #key}.
	 * @return the key
	 */
	@AliasFor("key")
	String value() default "";

	/**
	 * What to lock. Without {@code #} and quotes it is a literal
	 * ({@code nightly-report}); with <code>#{...}</code> a template
	 * (<code>order:#{#id}</code>); else a SpEL expression ({@code #id},
	 * {@code 'order:' + #order.id}). <code>${...}</code> is resolved once. Variables are
	 * the parameters by name or as {@code #p0}, {@code #a0}; {@code #root.method},
	 * {@code #root.target}, {@code #root.targetClass} and {@code #root.args} work, beans
	 * do not. A collection or an array gives several locks, taken in the order of their
	 * keys, all or none. Null, empty, or a value without a stable text form is
	 * {@link org.lockspring.LockKeyException}.
	 * @return the key, required
	 */
	@AliasFor("value")
	String key() default "";

	/**
	 * What is at stake. The default is EFFICIENCY.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EFFICIENCY;

	/**
	 * How long a crashed holder blocks others: {@code 30s}, {@code PT30S},
	 * <code>${property}</code>, or plain milliseconds; 10 ms to 24 h. The default is the
	 * property {@code lock.ttl}.
	 * @return a duration
	 */
	String ttl() default "";

	/**
	 * How long to wait for a busy lock, at most 24 h; zero tries once. The default is the
	 * property {@code lock.wait-time}.
	 * @return a duration
	 */
	String waitTime() default "";

	/**
	 * How long the lock stays held even if the method ends earlier, so that a short job
	 * does not run twice when clocks differ; at most the ttl. The default is zero.
	 * @return a duration
	 */
	String minHold() default "";

	/**
	 * Whether the lease may be renewed while the method runs. The default is true.
	 * @return whether to renew
	 */
	boolean autoRenew() default true;

	/**
	 * What to do when the lock was not obtained within the wait time. The default is to
	 * throw.
	 * @return what to do
	 */
	OnBusy onBusy() default OnBusy.THROW;

}
