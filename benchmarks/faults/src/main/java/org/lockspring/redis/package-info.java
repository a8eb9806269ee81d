/**
 * What has to reach into the model of Redlock.
 */
@NullMarked
package org.lockspring.redis;

import org.jspecify.annotations.NullMarked;
