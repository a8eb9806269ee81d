/**
 * Tables and pictures.
 */
@NullMarked
package org.lockspring.faults.report;

import org.jspecify.annotations.NullMarked;
