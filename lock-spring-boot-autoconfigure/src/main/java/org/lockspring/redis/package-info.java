/**
 * Locks on Redis, through Spring Data Redis. Not for direct use.
 */
@NullMarked
package org.lockspring.redis;

import org.jspecify.annotations.NullMarked;
