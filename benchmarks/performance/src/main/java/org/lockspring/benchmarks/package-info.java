/**
 * Measures the locks beside raw commands and other libraries, in one run on one machine.
 */
@NullMarked
package org.lockspring.benchmarks;

import org.jspecify.annotations.NullMarked;
