/**
 * Which locks meet which faults, what is promised then, and what came of it.
 */
@NullMarked
package org.lockspring.faults.matrix;

import org.jspecify.annotations.NullMarked;
