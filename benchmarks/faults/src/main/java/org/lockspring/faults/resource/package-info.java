/**
 * The resources that locks protect, and what they remember.
 */
@NullMarked
package org.lockspring.faults.resource;

import org.jspecify.annotations.NullMarked;
