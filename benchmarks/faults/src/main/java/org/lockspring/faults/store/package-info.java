/**
 * The stores of the locks, and what can be done to them.
 */
@NullMarked
package org.lockspring.faults.store;

import org.jspecify.annotations.NullMarked;
