/**
 * Locks on etcd.
 */
@NullMarked
package org.lockspring.etcd;

import org.jspecify.annotations.NullMarked;
