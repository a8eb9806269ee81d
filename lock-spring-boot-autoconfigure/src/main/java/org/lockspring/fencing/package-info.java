/**
 * Fencing: a token is a number that rises with every acquisition, a guard compares
 * numbers at the resource. Knows nothing of locks.
 */
@NullMarked
package org.lockspring.fencing;

import org.jspecify.annotations.NullMarked;
