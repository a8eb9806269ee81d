/**
 * Other libraries under the same workloads.
 */
@NullMarked
package org.lockspring.faults.peer;

import org.jspecify.annotations.NullMarked;
