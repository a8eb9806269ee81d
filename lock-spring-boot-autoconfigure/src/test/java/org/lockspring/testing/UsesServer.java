package org.lockspring.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says on a test class which real servers its tests talk to, so that the end of a test
 * run can tell how many tests ran against which server. Nested classes and subclasses
 * have it too.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface UsesServer {

	/**
	 * The servers: {@code redis}, {@code postgresql}, {@code mariadb}, {@code h2}, or
	 * another lower-case word.
	 */
	String[] value();

}
