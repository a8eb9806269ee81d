/**
 * A small ledger that moves money between accounts under locks.
 */
@NullMarked
package org.lockspring.sample;

import org.jspecify.annotations.NullMarked;
