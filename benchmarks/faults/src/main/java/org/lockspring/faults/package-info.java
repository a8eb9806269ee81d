/**
 * A campaign of faults: workers, stores, a nemesis, histories and their checkers.
 */
@NullMarked
package org.lockspring.faults;

import org.jspecify.annotations.NullMarked;
