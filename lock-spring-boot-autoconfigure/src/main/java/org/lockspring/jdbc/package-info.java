/**
 * Locks and the fencing guard on a relational database.
 */
@NullMarked
package org.lockspring.jdbc;

import org.jspecify.annotations.NullMarked;
