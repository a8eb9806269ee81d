package org.lockspring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Holds several {@link DistributedLock}s of one method or type.
 *
 * @since 0.1.0
 */
@Documented
@Reflective
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE })
public @interface DistributedLocks {

	/**
	 * Return the declarations.
	 * @return the declarations
	 */
	DistributedLock[] value();

}
