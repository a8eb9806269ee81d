/**
 * What must hold of a history.
 */
@NullMarked
package org.lockspring.faults.checker;

import org.jspecify.annotations.NullMarked;
