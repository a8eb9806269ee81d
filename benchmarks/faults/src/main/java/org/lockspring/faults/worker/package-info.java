/**
 * The processes that use locks, and how they are told what to do.
 */
@NullMarked
package org.lockspring.faults.worker;

import org.jspecify.annotations.NullMarked;
