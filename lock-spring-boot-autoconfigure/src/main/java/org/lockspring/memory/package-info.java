/**
 * Locks within one JVM, for tests. Not for direct use elsewhere: nothing here is
 * distributed.
 */
@NullMarked
package org.lockspring.memory;

import org.jspecify.annotations.NullMarked;
