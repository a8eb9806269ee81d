/**
 * Locks and guards with one mistake each, which a checker has to find.
 */
@NullMarked
package org.lockspring.faults.control;

import org.jspecify.annotations.NullMarked;
