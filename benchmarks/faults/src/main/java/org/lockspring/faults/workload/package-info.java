/**
 * What is done under locks.
 */
@NullMarked
package org.lockspring.faults.workload;

import org.jspecify.annotations.NullMarked;
