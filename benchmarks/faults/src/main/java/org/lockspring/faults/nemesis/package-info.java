/**
 * Faults, and when they come.
 */
@NullMarked
package org.lockspring.faults.nemesis;

import org.jspecify.annotations.NullMarked;
