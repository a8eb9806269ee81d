/**
 * The annotation {@link org.lockspring.annotation.DistributedLock} and its weaving.
 */
@NullMarked
package org.lockspring.annotation;

import org.jspecify.annotations.NullMarked;
