/**
 * Locks on ZooKeeper.
 */
@NullMarked
package org.lockspring.zookeeper;

import org.jspecify.annotations.NullMarked;
